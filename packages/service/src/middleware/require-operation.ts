import type { Request, RequestHandler } from 'express';
import { sendNoContent } from '../http/respond.ts';
import { ApiError } from '../openapi/api-error.ts';
import type { CompiledOperation } from '../openapi/compiled-contract.ts';

/**
 * Passes on requests that match an operation. Responds to OPTIONS with the methods of the path, and refuses all other
 * requests.
 */
export const requireOperation: RequestHandler = (request, response, next) => {
  const { route, receivedAt } = request.context;
  switch (route.kind) {
    case 'operation': {
      const { deprecation } = route.operation.lifecycle;
      return next(
        deprecation === undefined || receivedAt < deprecation.removedAt
          ? negotiate(request, route.operation)
          : new ApiError('operation_removed', deprecation.removalMessage),
      );
    }
    case 'wrong-method': {
      if (request.method === 'OPTIONS') {
        return sendNoContent(request, response, ['Allow', route.allow]);
      }
      const message = `This path does not support ${request.method}. Use ${route.allow}.`;
      return next(new ApiError('method_not_allowed', message, { headers: { Allow: route.allow } }));
    }
    case 'malformed':
      return next(
        new ApiError(
          'malformed_http',
          'The URL cannot be decoded, or the HTTP version, Host or Transfer-Encoding is not valid in HTTP/1.1. Use an HTTP library.',
        ),
      );
    case 'unknown':
    case 'page':
      return next(
        new ApiError(
          'route_not_found',
          'No operation has this path. Paths are case-sensitive, and a trailing slash matters. See the API reference at /docs.',
        ),
      );
  }
};

/**
 * Chooses the media type of the response by the Accept header. Only an operation that documents 406 refuses a header that
 * names none of its media types; the others ignore it, as RFC 9110 12.5.1 allows.
 */
function negotiate(request: Request, { facts, successTypes: types }: CompiledOperation): ApiError | undefined {
  const accepted = facts.negotiates ? request.accepts([...types]) : types[0];
  request.context.accept = types.find((type) => type === accepted);
  if (accepted !== false) return undefined;
  const message = `This operation only responds with ${types.join(' or ')}. Set Accept to one of these media types, or omit the header.`;
  return new ApiError('not_acceptable', message);
}
