import type { RecordedMessage, RecordedRequest } from '@contract-first/service/transcript';

/** A recorded request in the JSON of a transcript, which has no properties without a value. */
type Received = Pick<RecordedRequest, 'requestId' | 'milliseconds'> & {
  receivedAt: string;
  operation?: string;
  code?: string;
  request: ReceivedMessage & { method: string; url: string };
  response: ReceivedMessage & { status: number };
};

type ReceivedMessage = Omit<RecordedMessage, 'body'> & { body?: string };

/** The requests in the body of a response. @throws Error if it is not a transcript */
export function recordingsIn(body: unknown): RecordedRequest[] {
  if (!Array.isArray(body) || !body.every(isReceived)) throw new Error('The response is not a transcript.');
  return body.map(({ receivedAt, operation, code, request, response, ...others }) => ({
    ...others,
    operation,
    code,
    receivedAt: Date.parse(receivedAt),
    request: { body: undefined, ...request },
    response: { body: undefined, ...response },
  }));
}

function isReceived(one: unknown): one is Received {
  if (typeof one !== 'object' || one === null) return false;
  return ['requestId', 'receivedAt', 'milliseconds', 'request', 'response'].every((name) => name in one);
}
