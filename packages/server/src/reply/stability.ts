import { operations } from '@animal-store/contract';
import type { RequestHandler } from 'express';

/** Sets `X-Stability: beta` on each reply of an operation that the contract marks as beta. */
export const announceStability: RequestHandler = (request, response, next) => {
  const { route } = request.exchange;
  if (route.kind === 'operation' && isBeta(operations[route.id].stability)) response.setHeader('X-Stability', 'beta');
  next();
};

function isBeta(stability: 'beta' | 'stable'): boolean {
  return stability === 'beta';
}
