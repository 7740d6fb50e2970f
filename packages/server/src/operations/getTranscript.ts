import type { RecordedRequest } from '@animal-store/contract';
import { curlCalls, transcriptAsMarkdown } from '@contract-first/service';
import type { Call, Result } from './operation.ts';
import { sandboxNotFound } from './sandbox.ts';

export async function getTranscript({
  sandbox,
  accept,
  urlOf,
}: Call<'getTranscript'>): Promise<Result<'getTranscript'>> {
  if (sandbox === undefined) return sandboxNotFound();
  const requests = await sandbox.transcript();
  if (accept === 'text/markdown') {
    const { origin } = new URL(urlOf('getTranscript', {}));
    const calls = curlCalls({ origin, credentials: 'Authorization: Bearer $ANIMAL_STORE_KEY' });
    const body = transcriptAsMarkdown(requests, calls);
    return { status: 200, contentType: accept, body };
  }
  const body = requests.map(({ receivedAt, operation, code, request, response, ...others }): RecordedRequest => {
    return {
      ...others,
      receivedAt: new Date(receivedAt).toISOString(),
      ...(operation === undefined ? {} : { operation }),
      ...(code === undefined ? {} : { code }),
      request: withoutMissingBody(request),
      response: withoutMissingBody(response),
    };
  });
  return { status: 200, contentType: accept, body };
}

function withoutMissingBody<Message extends { body: string | undefined }>({
  body,
  ...message
}: Message): Omit<Message, 'body'> & { body?: string } {
  return body === undefined ? message : { ...message, body };
}
