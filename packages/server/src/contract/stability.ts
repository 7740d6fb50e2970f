import { type OperationId, operations } from '@animal-store/contract';

/** Whether the contract marks an operation as beta; its responses carry `X-Stability: beta`. */
export function isBeta(id: OperationId): boolean {
  const stability: 'beta' | 'stable' = operations[id].stability;
  return stability === 'beta';
}
