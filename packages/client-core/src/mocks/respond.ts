import { rowOf } from '../row-of.ts';
import type { DocumentedReply, GivenReply, MockedContract, MockedOperation } from './contract.ts';
import { matchesEtag } from './etag.ts';
import { headersOf } from './headers.ts';
import { acceptedExample, hasItems, mediaTypeOf, serialize } from './media-types.ts';
import { pageOf } from './page.ts';

/** A response that is about to be sent. */
export type Answer = {
  contract: MockedContract;
  operation: MockedOperation;
  request: Request;
  status: number;
  documented: DocumentedReply;
  given: GivenReply;
};

/** A response as the contract documents it, with its examples, and its status. */
export type ExampleReply = DocumentedReply & { status: number };

/**
 * The documented response of an operation with this status, or with the lowest one, which is a success.
 *
 * @param example the name of one of its examples
 * @throws TypeError if the contract has no such status or example, which the types also exclude
 */
export function exampleReply(
  { replyExamples }: MockedContract,
  id: string,
  status?: number,
  example?: string,
): ExampleReply {
  const replies = replyExamples[id] ?? {};
  const chosen =
    status ??
    Math.min(
      ...Object.keys(replies)
        .filter((name) => /^\d+$/.test(name))
        .map(Number),
    );
  const reply = replyOf(replies, chosen);
  if (reply === undefined) throw new TypeError(`The contract does not document ${chosen} for ${id}.`);
  if (example !== undefined && !(example in reply.bodies)) {
    const names = Object.keys(reply.bodies).join(', ');
    throw new TypeError(`The contract has no example ${example} for ${id} ${chosen}. It has ${names}.`);
  }
  return { ...reply, status: chosen };
}

/** The documented response with a status. One for `4XX`, `5XX` or `default` has the examples with this status only. */
export function replyOf(
  replies: Readonly<Record<string, DocumentedReply>>,
  status: number,
): DocumentedReply | undefined {
  const reply = rowOf(replies, status);
  if (reply === undefined || reply === replies[status]) return reply;
  const bodies = Object.entries(reply.bodies).filter(([, body]) => Object(body).status === status);
  return { ...reply, bodies: Object.fromEntries(bodies) };
}

const undocumented: DocumentedReply = { headers: {}, optionalHeaders: {}, bodies: {} };

/** The response to a request with the given body or an example. A GET with the ETag of the response gets a 304. */
export function respond(contract: MockedContract, { id, request }: Sent, given: GivenReply): Response {
  const { status } = given;
  const operation = contract.operations[id];
  const replies = contract.replyExamples[id] ?? {};
  // The API itself refuses some requests with a status that an operation does not have to document.
  const documented = replyOf(replies, status) ?? undocumented;
  if (operation === undefined) throw new TypeError(`The contract has no operation ${id}.`);
  const answer: Answer = { contract, operation, request, status, documented, given };
  const name = given.example ?? acceptedExample(documented, request.headers.get('Accept'));
  if (name === undefined && given.body === undefined) {
    return new Response(null, { status, headers: headersOf(answer, { body: undefined }) });
  }
  const isProblem = name === undefined && status >= 400 && contract.errorForm === 'problem';
  const mediaType = isProblem ? 'application/problem+json' : mediaTypeOf(documented, name);
  const { body, next } = bodyOf(answer, name, mediaType);
  const content = serialize(body, mediaType);
  const headers: Record<string, string> = { 'Content-Type': mediaType, ...headersOf(answer, { body, content, next }) };
  if (given.body === undefined && contract.paging?.[operation.path]) headers['X-Example-Response'] = 'true';
  const notModified = status === 200 ? replies[304] : undefined;
  const known = request.headers.get('If-None-Match');
  const etag = headers['ETag'];
  if (notModified === undefined || known === null || etag === undefined || !matchesEtag(known, etag)) {
    return new Response(content, { status, headers });
  }
  const unchanged = { ...answer, status: 304, documented: notModified };
  return new Response(null, { status: 304, headers: headersOf(unchanged, { body, content }) });
}

type Sent = { id: string; request: Request };

/** The given body or that of an example; for a list, the requested page of it. */
function bodyOf({ contract, operation, request, status, documented, given }: Answer, name = '', mediaType: string) {
  if (given.body !== undefined && !given.isPaged) return { body: given.body, next: given.next };
  const whole = given.body ?? exampleBody(documented, name, mediaType, given);
  // A list whose pages continue in another way than by a Link has one page: its example.
  const hasOtherPages = contract.paging?.[operation.path] !== undefined;
  if (hasItems(mediaType) || hasOtherPages || !Array.isArray(whole) || status >= 300)
    return { body: whole, next: undefined };
  const { searchParams } = new URL(request.url);
  const sent = Object.fromEntries([...searchParams.keys()].map((each) => [each, searchParams.getAll(each)]));
  return pageOf(whole, { query: { ...operation.defaults, ...sent }, request });
}

/** An example. For a sequence of items, all examples of the media type, unless one is named. */
function exampleBody({ bodies, mediaTypes = {} }: DocumentedReply, name: string, mediaType: string, given: GivenReply) {
  if (!hasItems(mediaType) || given.example !== undefined) return hasItems(mediaType) ? [bodies[name]] : bodies[name];
  return Object.entries(bodies).flatMap(([other, body]) => (mediaTypes[other] === mediaType ? [body] : []));
}
