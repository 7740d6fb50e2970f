import type { OperationId } from '@animal-store/contract';

/** A reply as the contract has it in its examples. */
export type DocumentedReply = {
  readonly headers: Readonly<Record<string, string>>;
  /** Headers that this reply has under conditions only. */
  readonly optionalHeaders: Readonly<Record<string, string>>;
  readonly bodies: Readonly<Record<string, unknown>>;
};

/** What answers the requests of an operation. */
export type Answer = {
  id: OperationId;
  status: number;
  reply: DocumentedReply;
  body: unknown;
  headers: Record<string, string>;
};
