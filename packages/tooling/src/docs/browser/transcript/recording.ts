/** A request of a transcript with its response. */
export type Recording = {
  requestId: string;
  receivedAt: string;
  milliseconds: number;
  operation?: string;
  /** The rule that refused it. */
  code?: string;
  request: { method: string; url: string } & Message;
  response: { status: number } & Message;
};

type Message = { headers: Readonly<Record<string, string>>; body?: string };

/** The requests in the body of a response. @throws Error if it is not a transcript */
export function recordingsIn(body: unknown): Recording[] {
  if (Array.isArray(body) && body.every(isRecording)) return body;
  throw new Error('The response is not a transcript.');
}

function isRecording(one: unknown): one is Recording {
  if (typeof one !== 'object' || one === null) return false;
  return ['requestId', 'receivedAt', 'milliseconds', 'request', 'response'].every((name) => name in one);
}
