import type { Answer, DocumentedReply, GivenReply, MockedContract } from './answer.ts';
import { headersOf } from './headers.ts';
import { acceptedExample, hasItems, mediaTypeOf, serialize } from './media-types.ts';
import { pageOf } from './page.ts';

/**
 * What an operation answers with this status.
 *
 * @throws TypeError when the contract has no such status or example; the types refuse that already
 */
export function answerOf(contract: MockedContract, id: string, status: number, given: GivenReply): Answer {
  const operation = contract.operations[id];
  const replies = contract.replyExamples[id] ?? {};
  const reply = replies[status];
  if (operation === undefined || reply === undefined) {
    throw new TypeError(`The contract does not document ${status} for ${id}.`);
  }
  const { example } = given;
  if (example !== undefined && !(example in reply.bodies)) {
    const names = Object.keys(reply.bodies).join(', ');
    throw new TypeError(`The contract has no example ${example} for ${id} ${status}. It has ${names}.`);
  }
  return { contract, operation, status, reply, notModified: status === 200 ? replies[304] : undefined, given };
}

/** The response to one request: for a list, the requested page, and a 304 if the request has the ETag of the response. */
export function replyTo({ url, headers: sent }: Request, answer: Answer): Response {
  const { operation, status, reply, notModified, given } = answer;
  const name = given.example ?? acceptedExample(reply, sent.get('Accept'));
  if (name === undefined) return new Response(null, { status, headers: headersOf(answer, { body: undefined, url }) });
  const mediaType = mediaTypeOf(reply, name);
  const whole = given.body ?? exampleOf(reply, name, mediaType, given);
  const isPaged = Array.isArray(whole) && !hasItems(mediaType);
  const { body, next } = isPaged ? pageOf(whole, url, operation) : { body: whole };
  const content = serialize(body, mediaType);
  const headers: Record<string, string> = {
    'Content-Type': mediaType,
    ...headersOf(answer, { body, content, next, url }),
  };
  if (notModified === undefined || !names(sent.get('If-None-Match'), headers['ETag'])) {
    return new Response(content, { status, headers });
  }
  const unchanged = { ...answer, status: 304, reply: notModified };
  return new Response(null, { status: 304, headers: headersOf(unchanged, { body, content, url }) });
}

/** Whether `If-None-Match` names an ETag, weak or strong (RFC 9110, section 13.1.2). */
function names(header: string | null, etag: string | undefined): boolean {
  const tags = header?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? [];
  return etag !== undefined && (tags.includes(etag) || tags.includes('*'));
}

/** An example. For a sequence of items, all examples of the media type, unless one is named. */
function exampleOf({ bodies, mediaTypes = {} }: DocumentedReply, name: string, mediaType: string, given: GivenReply) {
  if (!hasItems(mediaType) || given.example !== undefined) return hasItems(mediaType) ? [bodies[name]] : bodies[name];
  return Object.entries(bodies).flatMap(([other, body]) => (mediaTypes[other] === mediaType ? [body] : []));
}
