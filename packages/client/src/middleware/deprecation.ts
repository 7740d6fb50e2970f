import { linkOf } from '../headers/link.ts';
import type { Middleware } from '../openapi-fetch.ts';

/** A deprecated operation was called; what the reply said of it. */
export type DeprecationNotice = {
  /** Its method and path: `GET /pets/{petId}`. */
  operation: string;
  /** When it will be removed. */
  sunset: Date | undefined;
  /** The address of the operation to use instead. */
  successor: string | undefined;
  /** The address of a page about it. */
  documentation: string | undefined;
  /** All of that as a sentence. */
  message: string;
};

/** Tells once for each operation whose replies carry `Deprecation` (RFC 9745), with its `Sunset` (RFC 8594). */
export function deprecation(onDeprecated: (notice: DeprecationNotice) => void): Middleware {
  const told = new Set<string>();
  return {
    onResponse({ request, schemaPath, response }) {
      const operation = `${request.method} ${schemaPath}`;
      if (!response.headers.has('Deprecation') || told.has(operation)) return;
      told.add(operation);
      onDeprecated(noticeOf(operation, response));
    },
  };
}

/** The default: one line on the console. */
export function warnOnConsole({ message }: DeprecationNotice): void {
  console.warn(message);
}

function noticeOf(operation: string, response: Response): DeprecationNotice {
  const date = new Date(response.headers.get('Sunset') ?? '');
  const sunset = Number.isNaN(date.getTime()) ? undefined : date;
  const successor = linkOf(response, 'successor-version');
  const documentation = linkOf(response, 'deprecation');
  const removal = sunset === undefined ? '' : ` and will be removed on ${sunset.toISOString().slice(0, 10)}`;
  const advice = successor === undefined ? '' : ` Use ${successor} instead.`;
  return { operation, sunset, successor, documentation, message: `${operation} is deprecated${removal}.${advice}` };
}
