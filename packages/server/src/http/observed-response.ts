import type { ErrorCode, OperationId } from '@animal-store/contract';
import type { Route } from '../contract/router.ts';

/** One finished response, for the access log and the metrics. It holds no secrets. */
export type ObservedResponse = {
  requestId: string;
  /** Absent if the request could not be parsed. */
  method?: string;
  /** `unreadable`: Node refused the request before the app saw it. */
  operation: OperationId | Exclude<Route['kind'], 'operation'> | 'page' | 'unreadable';
  status: number;
  /** The code of an error response. */
  code: ErrorCode | undefined;
  /** From the request's headers to the end of the response. */
  milliseconds: number;
  keyId: string | undefined;
  /** Whether the connection closed before the response was sent in full. */
  aborted: boolean;
};

export type ResponseObserver = (response: ObservedResponse) => void;
