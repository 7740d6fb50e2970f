import type { RequestHandler } from 'express';
import { ApiError } from '../contract/api-error.ts';
import { commonHeaders } from '../http/common-headers.ts';

/** Answers OPTIONS with the methods of the path, and refuses what is no operation: 404 for an unknown path, 405 with `Allow` for a wrong method, 400 for a bad address. */
export const requireRoute: RequestHandler = (request, response, next) => {
  const { route } = request.context;
  if (route.kind === 'operation') return next();
  if (route.kind === 'wrong-method' && request.method === 'OPTIONS') {
    response.writeHead(204, [...commonHeaders(request.context), 'Allow', route.allow]).end();
    return;
  }
  if (route.kind === 'wrong-method') {
    throw new ApiError('method_not_allowed', `This path does not have ${request.method}. It has ${route.allow}.`, {
      headers: { Allow: route.allow },
    });
  }
  if (route.kind === 'malformed') {
    throw new ApiError(
      'malformed_http',
      'The address cannot be decoded, or version, Host or Transfer-Encoding are not as HTTP/1.1 has them. Use an HTTP library.',
    );
  }
  throw new ApiError('route_not_found', 'No operation has this path. Paths are exact; the reference is at /docs.');
};
