// Generated from openapi.yaml by `npm run generate`. Do not edit.

export type paths = {
    "/api/v1/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upload an input
         * @description Creates an immutable input. It can be attached to Work once its `status` is `ready`.
         */
        post: operations["createInputUpload"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/uploads/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read an upload
         * @description Read it again until `status` is `ready` or `failed`.
         */
        get: operations["getInputUpload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/uploads/{id}/processing/retry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Scan an upload again
         * @description Queues a new scan of an upload whose `processing_state` is `scan_failed`. Each new retry takes a new idempotency key.
         */
        post: operations["retryInputUploadProcessing"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Work
         * @description The Work that this service account created, newest first. The only operation with pages.
         */
        get: operations["listWork"];
        put?: never;
        /**
         * Delegate Work
         * @description Creates Work for the human owner of the service account and hands it to a colleague.
         */
        post: operations["createWork"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Read Work
         * @description Work that is unknown, another tenant's or otherwise concealed gives one and the same 404.
         */
        get: operations["getWork"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Follow Work's activity
         * @description Server-sent events, asked for with `Accept: text/event-stream`. An activity frame has three fields, `id` (the event's
         *     sequence, an integer), `event` (its type) and `data` (the event as JSON), and ends with a blank line. The list of types
         *     is open, and so are the payloads. The comment `: heartbeat` comes every 15 seconds and is no activity; at each
         *     heartbeat the credential is checked again. Only events with a sequence greater than `after`, or than `Last-Event-ID`
         *     in its absence, are sent. One may be sent again: consumers drop what they have taken in. A credential may hold a
         *     bounded number of open streams; one more is refused with 429.
         */
        get: operations["streamWorkEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/attention": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List open clarification requests
         * @description The open attention of this Work that belongs to its accountable owner.
         */
        get: operations["listWorkAttention"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/attention/{attention_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Answer a clarification request
         * @description Resolves an open clarification request, bound to the version that the person has read.
         */
        post: operations["resolveWorkAttention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/approvals": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List approval requests
         * @description The approval requests of Work that this service account created.
         */
        get: operations["listWorkApprovals"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/approvals/{approval_id}/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Approve or decline
         * @description Decides a pending approval request, bound to the version that the person has read.
         */
        post: operations["resolveWorkApproval"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List results
         * @description The latest version of the result at each output path. One that cannot be downloaded yet is listed as well, with its
         *     `processing_state` and `failure_code`.
         */
        get: operations["listWorkArtifacts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/api/v1/work/{id}/artifacts/{artifact_id}/content": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Download a result
         * @description The bytes of a result that has passed every gate, verified against its hash.
         */
        get: operations["downloadWorkArtifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
};
export type webhooks = Record<string, never>;
export type components = {
    schemas: {
        /** @enum {string} */
        WorkStatus: "working" | "needs_you" | "paused" | "done";
        /** @enum {string} */
        WorkPriority: "low" | "normal" | "high" | "urgent";
        /** @enum {string} */
        VisibilityScope: "private" | "team" | "organization";
        /** @enum {string} */
        ApprovalStatus: "pending" | "approved" | "declined";
        /**
         * @description Where the scan of an upload or a result Artifact stands.
         * @enum {string}
         */
        ProcessingState: "processing" | "available" | "quarantined" | "scan_failed" | "failed" | "expired";
        CreateWorkRequest: {
            colleague_id: string;
            objective: string;
            title?: string;
            visibility_scope?: components["schemas"]["VisibilityScope"];
            /** Format: int64 */
            active_execution_limit_seconds?: bigint;
            priority?: components["schemas"]["WorkPriority"];
            /** Format: date-time */
            due_at?: string;
            input_upload_ids?: string[];
        };
        CreateInputUploadRequest: {
            name: string;
            /** @enum {string} */
            media_type: "application/json" | "text/csv" | "text/markdown" | "text/plain";
            /** @description Also at most 102400 bytes in UTF-8. JSON Schema has no keyword for this limit. */
            content: string;
        };
        InputUpload: {
            id: string;
            name: string;
            media_type: string;
            /** Format: int64 */
            size: bigint;
            content_hash: string;
            /**
             * @description `ready` only when the upload can be attached to Work; `failed` when its scan did not pass, which
             *     `processing_state` and `failure_code` explain.
             * @enum {string}
             */
            status: "ready" | "consumed" | "expired" | "processing" | "failed";
            processing_state?: components["schemas"]["ProcessingState"];
            /**
             * @description Why processing did not make the upload available.
             * @example stale_signatures
             * @example malware_detected
             */
            failure_code?: string;
            /** @description Whether retryInputUploadProcessing can clear a `scan_failed` state. */
            retryable?: boolean;
            detected_type?: string;
            work_id?: string;
            /** Format: date-time */
            expires_at: string;
            /** Format: date-time */
            created_at: string;
        };
        Work: {
            id: string;
            title: string;
            objective: string;
            status: components["schemas"]["WorkStatus"];
            colleague_id: string;
            human_owner_id: string;
            visibility_scope: components["schemas"]["VisibilityScope"];
            priority: components["schemas"]["WorkPriority"];
            /** Format: date-time */
            due_at?: string;
            /**
             * Format: int64
             * @description Increases whenever the Work changes, its status included.
             */
            version: bigint;
            created_by: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            current_attention_id?: string;
            attention_question?: string;
            completion_summary?: string;
        };
        WorkList: {
            data: components["schemas"]["Work"][];
            /** @description Present when there is more Work; opaque. */
            next_cursor?: string;
        };
        /** @description A clarification request, also called a Needs You item. */
        Attention: {
            id: string;
            work_id: string;
            /** @enum {string} */
            kind: "clarification";
            source_id: string;
            title: string;
            what_happened: string;
            why_needed: string;
            recommended_action: string;
            consequences: string;
            /** @enum {string} */
            status: "open" | "resolved";
            /** Format: int64 */
            version: bigint;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            resolved_at?: string;
            resolved_by?: string;
            resolution?: string;
        };
        AttentionList: {
            data: components["schemas"]["Attention"][];
        };
        ResolveAttentionRequest: {
            response: string;
        };
        /** @description An action that a colleague asks leave for. */
        Approval: {
            id: string;
            work_id: string;
            action_id: string;
            requested_by_colleague: string;
            summary: string;
            risk: string;
            destination: string;
            subject: string;
            body: string;
            proposed_action_payload_hash: string;
            policy_reason: string;
            status: components["schemas"]["ApprovalStatus"];
            /** Format: int64 */
            version: bigint;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            resolved_at?: string;
            resolution_actor?: string;
            resolution_comment?: string;
        };
        ApprovalList: {
            data: components["schemas"]["Approval"][];
        };
        ResolveApprovalRequest: {
            /** @enum {string} */
            decision: "approve" | "decline";
            comment?: string;
        };
        /** @description One version of a result. */
        Artifact: {
            id: string;
            work_id: string;
            /** @description The result's output path. */
            path: string;
            media_type: string;
            /** Format: int64 */
            size: bigint;
            content_hash: string;
            /** Format: int64 */
            version: bigint;
            /** Format: date-time */
            created_at: string;
            processing_state?: components["schemas"]["ProcessingState"];
            /** @description Why a result that is not available cannot be downloaded yet. */
            failure_code?: string;
        };
        ArtifactList: {
            data: components["schemas"]["Artifact"][];
        };
        /** @description What every error says. Programs go by `code`; `request_id` is what support asks for. */
        Problem: {
            type: string;
            title: string;
            status: number;
            detail: string;
            instance: string;
            /**
             * @example IDEMPOTENCY_CONFLICT
             * @example INPUT_NOT_READY
             * @example INPUT_SCAN_FAILED
             */
            code: string;
            request_id: string;
            retryable: boolean;
            /** @description The upload's own `failure_code`, on `INPUT_SCAN_FAILED`. */
            failure_code?: string;
        };
    };
    responses: {
        /** @description The request is invalid; an unknown property or a violated constraint is, too. */
        InvalidRequest: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The credential is missing, invalid, revoked or unavailable. */
        Unauthenticated: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The service account lacks the operation's scope, or a policy denies the request. */
        Forbidden: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The resource, or one that the request refers to, is not visible to this service account. */
        NotFound: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The idempotency key was used with another input (`IDEMPOTENCY_CONFLICT`), or the resource's state does not allow this. */
        Conflict: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The idempotency key was used with another input (`IDEMPOTENCY_CONFLICT`), or an upload cannot be attached: it is still
         *     being scanned (`INPUT_NOT_READY`, retryable after `Retry-After`), or its scan failed (`INPUT_SCAN_FAILED` with the
         *     upload's `failure_code`, retryable when retryInputUploadProcessing can clear that).
         */
        WorkConflict: {
            headers: {
                "Retry-After": components["headers"]["RetryAfterWhenRetryable"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The version in `If-Match` is stale. Read the resource again and decide on its current version. */
        StaleVersion: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The organization's data policy blocked the input, the objective or the download. */
        PolicyBlocked: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description `If-Match` is missing. */
        VersionRequired: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /**
         * @description The credential's rate limit for this class, its number of concurrent streams, or the client address's budget for
         *     unauthenticated requests is used up.
         */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                "RateLimit-Policy": components["headers"]["RateLimitPolicy"];
                RateLimit: components["headers"]["RateLimit"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description No capacity to admit this Work for execution. */
        NoCapacity: {
            headers: {
                "Retry-After": components["headers"]["RetryAfter"];
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        /** @description The upload's identifier. */
        UploadId: string;
        /** @description The Work's identifier. */
        WorkId: string;
        /** @description The clarification request's identifier. */
        AttentionId: string;
        /** @description The approval request's identifier. */
        ApprovalId: string;
        /** @description The result's identifier. */
        ArtifactId: string;
        /** @description Chosen by the client, one for each intent, and the same again for each retry of it. */
        IdempotencyKey: string;
        /**
         * @description The strong tag of the resource's current version, an integer.
         * @example "3"
         */
        IfMatch: string;
        /** @description Only Work with this status. */
        WorkStatusFilter: components["schemas"]["WorkStatus"];
        /** @description Only approval requests with this status. */
        ApprovalStatusFilter: components["schemas"]["ApprovalStatus"];
        /** @description How many to return at most. */
        Limit: number;
        /** @description The `next_cursor` of the previous page, as it was given. Clients neither make nor change one. */
        Cursor: string;
        /** @description The last sequence that was taken in. Beats `Last-Event-ID`. */
        After: bigint;
        /** @description The last sequence that was taken in. Used only when `after` is absent. */
        LastEventId: bigint;
    };
    requestBodies: never;
    headers: {
        /**
         * @description A strong entity tag. That of a resource with a `version` is this version, and serves in `If-Match`.
         * @example "3"
         */
        ETag: string;
        /** @description Where the Work is. */
        Location: string;
        /** @description Says that this is the original result of an earlier request. */
        Replayed: "true";
        /** @description Present when this is the original result of an earlier request. */
        ReplayedOnRetry: "true";
        /** @description The result as an attachment, with a file name. */
        ContentDisposition: string;
        /** @description When to try again (RFC 9110, section 10.2.3). */
        RetryAfter: string;
        /** @description When to try again (RFC 9110, section 10.2.3), where trying again can help. */
        RetryAfterWhenRetryable: string;
        /** @description The limit's class, its burst quota and its window. */
        RateLimitPolicy: string;
        /** @description The requests that remain and the time until the quota is filled again. */
        RateLimit: string;
    };
    pathItems: never;
};
export type $defs = Record<string, never>;
export interface operations {
    createInputUpload: {
        parameters: {
            query?: never;
            header: {
                /** @description Chosen by the client, one for each intent, and the same again for each retry of it. */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateInputUploadRequest"];
            };
        };
        responses: {
            /** @description An exact retry; the upload that the first request created. */
            200: {
                headers: {
                    "Idempotent-Replayed": components["headers"]["Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputUpload"];
                };
            };
            /** @description A new upload. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputUpload"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["PolicyBlocked"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    getInputUpload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The upload's identifier. */
                id: components["parameters"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The upload, which this service account created. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputUpload"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    retryInputUploadProcessing: {
        parameters: {
            query?: never;
            header: {
                /** @description Chosen by the client, one for each intent, and the same again for each retry of it. */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The upload's identifier. */
                id: components["parameters"]["UploadId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The scan is queued. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InputUpload"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    listWork: {
        parameters: {
            query?: {
                /** @description Only Work with this status. */
                status?: components["parameters"]["WorkStatusFilter"];
                /** @description How many to return at most. */
                limit?: components["parameters"]["Limit"];
                /** @description The `next_cursor` of the previous page, as it was given. Clients neither make nor change one. */
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description One page of Work. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["WorkList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    createWork: {
        parameters: {
            query?: never;
            header: {
                /** @description Chosen by the client, one for each intent, and the same again for each retry of it. */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CreateWorkRequest"];
            };
        };
        responses: {
            /** @description An exact retry; the Work that the first request created. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    "Idempotent-Replayed": components["headers"]["Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Work"];
                };
            };
            /** @description New Work. */
            201: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Work"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["WorkConflict"];
            422: components["responses"]["PolicyBlocked"];
            429: components["responses"]["TooManyRequests"];
            503: components["responses"]["NoCapacity"];
        };
    };
    getWork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The Work. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Work"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    streamWorkEvents: {
        parameters: {
            query?: {
                /** @description The last sequence that was taken in. Beats `Last-Event-ID`. */
                after?: components["parameters"]["After"];
            };
            header?: {
                /** @description The last sequence that was taken in. Used only when `after` is absent. */
                "Last-Event-ID"?: components["parameters"]["LastEventId"];
            };
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The stream, open until either side ends it. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    listWorkAttention: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The open clarification requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AttentionList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    resolveWorkAttention: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The strong tag of the resource's current version, an integer.
                 * @example "3"
                 */
                "If-Match": components["parameters"]["IfMatch"];
                /** @description Chosen by the client, one for each intent, and the same again for each retry of it. */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
                /** @description The clarification request's identifier. */
                attention_id: components["parameters"]["AttentionId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveAttentionRequest"];
            };
        };
        responses: {
            /** @description The resolved request; on an exact retry the result of the first one. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["ReplayedOnRetry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Attention"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["StaleVersion"];
            428: components["responses"]["VersionRequired"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    listWorkApprovals: {
        parameters: {
            query?: {
                /** @description Only approval requests with this status. */
                status?: components["parameters"]["ApprovalStatusFilter"];
            };
            header?: never;
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The approval requests. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ApprovalList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    resolveWorkApproval: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description The strong tag of the resource's current version, an integer.
                 * @example "3"
                 */
                "If-Match": components["parameters"]["IfMatch"];
                /** @description Chosen by the client, one for each intent, and the same again for each retry of it. */
                "Idempotency-Key": components["parameters"]["IdempotencyKey"];
            };
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
                /** @description The approval request's identifier. */
                approval_id: components["parameters"]["ApprovalId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ResolveApprovalRequest"];
            };
        };
        responses: {
            /** @description The decided request; on an exact retry the result of the first one. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Idempotent-Replayed": components["headers"]["ReplayedOnRetry"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Approval"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            412: components["responses"]["StaleVersion"];
            428: components["responses"]["VersionRequired"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    listWorkArtifacts: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The results. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactList"];
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            429: components["responses"]["TooManyRequests"];
        };
    };
    downloadWorkArtifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description The Work's identifier. */
                id: components["parameters"]["WorkId"];
                /** @description The result's identifier. */
                artifact_id: components["parameters"]["ArtifactId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "Content-Disposition": components["headers"]["ContentDisposition"];
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": unknown;
                };
            };
            401: components["responses"]["Unauthenticated"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            409: components["responses"]["Conflict"];
            422: components["responses"]["PolicyBlocked"];
            429: components["responses"]["TooManyRequests"];
        };
    };
}
