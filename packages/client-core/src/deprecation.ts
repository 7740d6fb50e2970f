import { linkOf } from './headers.ts';

/** A call of a deprecated operation, as the response describes it. */
export type DeprecationNotice = {
  /** Its method and path: `GET /notes/{noteId}`. */
  operation: string;
  /** When it will be removed. */
  sunset: Date | undefined;
  /** The URL of the operation to use instead. */
  successor: string | undefined;
  /** The URL of a page about the deprecation. */
  documentation: string | undefined;
  /** The same information as a sentence. */
  message: string;
};

/** Reports each operation once whose responses carry `Deprecation` (RFC 9745), with its `Sunset` (RFC 8594). */
export function deprecation(
  onDeprecated: (notice: DeprecationNotice) => void,
): (operation: string, response: Response) => void {
  const reported = new Set<string>();
  return (operation, response) => {
    if (!response.headers.has('Deprecation') || reported.has(operation)) return;
    reported.add(operation);
    onDeprecated(noticeOf(operation, response));
  };
}

function noticeOf(operation: string, response: Response): DeprecationNotice {
  const { headers } = response;
  const time = Date.parse(headers.get('Sunset') ?? '');
  const sunset = time ? new Date(time) : undefined;
  const successor = linkOf(response, 'successor-version');
  const documentation = linkOf(response, 'deprecation');
  const message = `${operation} is deprecated${successor ? `: use ${successor}` : ''}.`;
  return { operation, sunset, successor, documentation, message };
}
