import { type AnimalStore, type ClientEvent, createAnimalStore } from '@animal-store/client';
import { codeOf } from '../exit.ts';
import type { Journal } from './journal.ts';

/** Milliseconds longer than any wait for a quota or ban: at most a day, with some margin. */
const LONGEST_WAIT = 25 * 3_600_000;

/** The client of an import, which waits for the quota as long as necessary, and records requests in the journal. */
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
    // Recorded here and not earlier, because a call may wait for hours before it is sent.
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

/**
 * Whether the row was certainly not added. Not for a conflict: another process is sending a request with the same key.
 */
function isRefusal({ status }: Response): boolean {
  return status >= 400 && status < 500 && status !== 409;
}

/** Errors before anything was sent: nothing listens on the port, or the host is unknown. */
const beforeSending: readonly (string | undefined)[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN'];

function hasNotConnected(error: unknown): boolean {
  return error instanceof Error && beforeSending.includes(codeOf(error.cause));
}
