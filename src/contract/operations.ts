// Generated from openapi.yaml by `npm run generate`. Do not edit.
import type { Operation } from "./operation.ts"
import type { OperationId } from "./resources.ts"

/** The 13 operations. The compiler reports one that is missing. */
export const operations: Readonly<Record<OperationId, Operation>> = {
  "createInputUpload": {
    "id": "createInputUpload",
    "method": "POST",
    "path": "/api/v1/uploads",
    "query": [],
    "hasBody": true,
    "needsIdempotencyKey": true,
    "needsIfMatch": false,
    "scope": "upload:create",
    "success": {
      "200": "json",
      "201": "json"
    },
    "parameters": [
      {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      }
    ],
    "body": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "name",
        "media_type",
        "content"
      ],
      "properties": {
        "name": {
          "type": "string",
          "minLength": 1,
          "maxLength": 120
        },
        "media_type": {
          "type": "string",
          "enum": [
            "application/json",
            "text/csv",
            "text/markdown",
            "text/plain"
          ]
        },
        "content": {
          "description": "Also at most 102400 bytes in UTF-8. JSON Schema has no keyword for this limit.",
          "type": "string",
          "minLength": 1,
          "maxLength": 102400
        }
      }
    }
  },
  "getInputUpload": {
    "id": "getInputUpload",
    "method": "GET",
    "path": "/api/v1/uploads/{id}",
    "query": [],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "upload:create",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      }
    ]
  },
  "retryInputUploadProcessing": {
    "id": "retryInputUploadProcessing",
    "method": "POST",
    "path": "/api/v1/uploads/{id}/processing/retry",
    "query": [],
    "hasBody": false,
    "needsIdempotencyKey": true,
    "needsIfMatch": false,
    "scope": "upload:create",
    "success": {
      "202": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      }
    ]
  },
  "listWork": {
    "id": "listWork",
    "method": "GET",
    "path": "/api/v1/work",
    "query": [
      "status",
      "limit",
      "cursor"
    ],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "work:read",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "status",
        "in": "query",
        "schema": {
          "type": "string",
          "enum": [
            "working",
            "needs_you",
            "paused",
            "done"
          ]
        }
      },
      {
        "name": "limit",
        "in": "query",
        "schema": {
          "type": "integer",
          "minimum": 1,
          "maximum": 100,
          "default": 50
        }
      },
      {
        "name": "cursor",
        "in": "query",
        "schema": {
          "type": "string"
        }
      }
    ]
  },
  "createWork": {
    "id": "createWork",
    "method": "POST",
    "path": "/api/v1/work",
    "query": [],
    "hasBody": true,
    "needsIdempotencyKey": true,
    "needsIfMatch": false,
    "scope": "work:create",
    "success": {
      "200": "json",
      "201": "json"
    },
    "parameters": [
      {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      }
    ],
    "body": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "colleague_id",
        "objective"
      ],
      "properties": {
        "colleague_id": {
          "type": "string",
          "minLength": 1
        },
        "objective": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4000
        },
        "title": {
          "type": "string"
        },
        "visibility_scope": {
          "type": "string",
          "enum": [
            "private",
            "team",
            "organization"
          ]
        },
        "active_execution_limit_seconds": {
          "type": "integer",
          "format": "int64",
          "minimum": 1,
          "maximum": 86400
        },
        "priority": {
          "type": "string",
          "enum": [
            "low",
            "normal",
            "high",
            "urgent"
          ]
        },
        "due_at": {
          "type": "string",
          "format": "date-time"
        },
        "input_upload_ids": {
          "type": "array",
          "maxItems": 4,
          "uniqueItems": true,
          "items": {
            "type": "string"
          }
        }
      }
    }
  },
  "getWork": {
    "id": "getWork",
    "method": "GET",
    "path": "/api/v1/work/{id}",
    "query": [],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "work:read",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      }
    ]
  },
  "streamWorkEvents": {
    "id": "streamWorkEvents",
    "method": "GET",
    "path": "/api/v1/work/{id}/events",
    "query": [
      "after"
    ],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "work:read",
    "success": {
      "200": "event-stream"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "after",
        "in": "query",
        "schema": {
          "type": "integer",
          "format": "int64",
          "minimum": 0
        }
      },
      {
        "name": "Last-Event-ID",
        "in": "header",
        "schema": {
          "type": "integer",
          "format": "int64",
          "minimum": 0
        }
      }
    ]
  },
  "listWorkAttention": {
    "id": "listWorkAttention",
    "method": "GET",
    "path": "/api/v1/work/{id}/attention",
    "query": [],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "work:guide",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      }
    ]
  },
  "resolveWorkAttention": {
    "id": "resolveWorkAttention",
    "method": "POST",
    "path": "/api/v1/work/{id}/attention/{attention_id}/resolve",
    "query": [],
    "hasBody": true,
    "needsIdempotencyKey": true,
    "needsIfMatch": true,
    "scope": "work:guide",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "attention_id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "If-Match",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      }
    ],
    "body": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "response"
      ],
      "properties": {
        "response": {
          "type": "string",
          "minLength": 1,
          "maxLength": 4000
        }
      }
    }
  },
  "listWorkApprovals": {
    "id": "listWorkApprovals",
    "method": "GET",
    "path": "/api/v1/work/{id}/approvals",
    "query": [
      "status"
    ],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "approval:read",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "status",
        "in": "query",
        "schema": {
          "type": "string",
          "enum": [
            "pending",
            "approved",
            "declined"
          ]
        }
      }
    ]
  },
  "resolveWorkApproval": {
    "id": "resolveWorkApproval",
    "method": "POST",
    "path": "/api/v1/work/{id}/approvals/{approval_id}/resolve",
    "query": [],
    "hasBody": true,
    "needsIdempotencyKey": true,
    "needsIfMatch": true,
    "scope": "approval:resolve",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "approval_id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "If-Match",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "Idempotency-Key",
        "in": "header",
        "schema": {
          "type": "string",
          "minLength": 1,
          "maxLength": 255
        }
      }
    ],
    "body": {
      "type": "object",
      "additionalProperties": false,
      "required": [
        "decision"
      ],
      "properties": {
        "decision": {
          "type": "string",
          "enum": [
            "approve",
            "decline"
          ]
        },
        "comment": {
          "type": "string",
          "maxLength": 2000
        }
      }
    }
  },
  "listWorkArtifacts": {
    "id": "listWorkArtifacts",
    "method": "GET",
    "path": "/api/v1/work/{id}/artifacts",
    "query": [],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "artifact:read",
    "success": {
      "200": "json"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      }
    ]
  },
  "downloadWorkArtifact": {
    "id": "downloadWorkArtifact",
    "method": "GET",
    "path": "/api/v1/work/{id}/artifacts/{artifact_id}/content",
    "query": [],
    "hasBody": false,
    "needsIdempotencyKey": false,
    "needsIfMatch": false,
    "scope": "artifact:read",
    "success": {
      "200": "octet-stream"
    },
    "parameters": [
      {
        "name": "id",
        "in": "path",
        "schema": {
          "type": "string",
          "minLength": 1
        }
      },
      {
        "name": "artifact_id",
        "in": "path",
        "schema": {
          "type": "string"
        }
      }
    ]
  }
}
