import type { OperationId } from '@animal-store/contract';
import { replyExamples } from '@animal-store/contract/examples';
import type { Answer, DocumentedReply } from './answer.ts';
import { headersOf } from './headers.ts';
import { pageOf } from './page.ts';

/** A MockReply of any operation. */
export type GivenReply = { example?: string; body?: unknown; headers?: Record<string, string>; once?: boolean };

const documented: Readonly<Record<OperationId, Readonly<Record<number, DocumentedReply>>>> = replyExamples;

/**
 * What an operation answers with this status.
 *
 * @throws TypeError when the contract has no such status or example; the types refuse that already
 */
export function answerOf(id: OperationId, status: number, { example, body, headers = {} }: GivenReply): Answer {
  const reply = documented[id][status];
  if (reply === undefined) throw new TypeError(`The contract documents no ${status} for ${id}.`);
  return { id, status, reply, body: body ?? exampleOf(reply, `${id} ${status}`, example), headers };
}

/** The reply to one request: of a list the page that it asks for. */
export function replyTo({ url }: Request, answer: Answer): Response {
  const { id, status } = answer;
  const { body, next } = Array.isArray(answer.body) ? pageOf(answer.body, url, id) : { body: answer.body };
  return Response.json(body, { status, headers: headersOf(answer, { body, next, url }) });
}

function exampleOf({ bodies }: DocumentedReply, of: string, name = Object.keys(bodies)[0] ?? ''): unknown {
  if (name in bodies) return bodies[name];
  throw new TypeError(`The contract has no example ${name} for ${of}, but ${Object.keys(bodies).join(', ')}.`);
}
