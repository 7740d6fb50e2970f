import { type AnimalStore, type ClientEvent, createAnimalStore } from '@animal-store/client';
import { codeOf } from '../exit.ts';
import type { Journal } from './journal.ts';

/** A wait in milliseconds that no quota and no ban exceeds: a day is the longest, and a bit for its end. */
const LONGEST_WAIT = 25 * 3_600_000;

/** The client of an import: it waits for the quota as long as that takes, and notes in the journal what it sends. */
export function createImportStore(
  { apiKey, baseUrl }: { apiKey: string; baseUrl: string },
  journal: Journal,
  onEvent: (event: ClientEvent) => void,
): AnimalStore {
  return createAnimalStore({
    apiKey,
    baseUrl,
    maxRetryAfter: LONGEST_WAIT,
    onEvent,
    // Noted here and not earlier, since a call may wait for hours before it is sent.
    fetch: (request) => sendNoted(request, journal),
  });
}

async function sendNoted(request: Request, journal: Journal): Promise<Response> {
  const key = request.headers.get('Idempotency-Key') ?? '';
  const isFirst = journal.noteSent(key);
  try {
    const response = await fetch(request);
    if (isFirst && isRefusal(response)) journal.takeBack(key);
    return response;
  } catch (error) {
    if (isFirst && hasNotConnected(error)) journal.takeBack(key);
    throw error;
  }
}

/** Whether nothing was added for sure. A conflict is none: a request with the same key, of another process, still runs. */
function isRefusal({ status }: Response): boolean {
  return status >= 400 && status < 500 && status !== 409;
}

/** Errors before anything was sent: nobody listens, or the host is not known. */
const beforeSending: readonly (string | undefined)[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

function hasNotConnected(error: unknown): boolean {
  return error instanceof Error && beforeSending.includes(codeOf(error.cause));
}
