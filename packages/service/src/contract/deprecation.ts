import type { Contract, OperationFacts } from '../common/contract.ts';

export type Lifecycle = {
  /** The headers that announce the stability or deprecation: names and values alternate. */
  headersAt: (origin: string) => readonly string[];
  /** Unix milliseconds of the sunset; undefined if the operation is not deprecated. */
  removedAt: number | undefined;
  /** The message of the 410 after the sunset. */
  removalMessage: string;
};

/**
 * `X-Stability` of a beta operation; `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and `Link` of a deprecated one. Names and
 * values alternate; the list is empty for a stable operation.
 *
 * @param context the origin of the links
 */
export function lifecycleHeaders(lifecycle: Lifecycle, context: { origin: string }): readonly string[] {
  return lifecycle.removedAt === undefined ? lifecycle.headersAt('') : lifecycle.headersAt(context.origin);
}

/** The message for callers of an operation that was removed by `now`; undefined if it still exists. */
export function removalMessage({ removedAt, removalMessage }: Lifecycle, now: number): string | undefined {
  return removedAt === undefined || now < removedAt ? undefined : removalMessage;
}

/** Whether the operations of a contract include this one, as deprecated. */
export function isDeprecated(operations: Contract['operations'], id: string): boolean {
  return (operations[id]?.deprecation ?? null) !== null;
}

/** The stability and the deprecation of an operation. */
export function lifecycleOf(id: string, { stability, deprecation }: OperationFacts, contract: Contract): Lifecycle {
  const beta = stability === 'beta' ? ['X-Stability', 'beta'] : [];
  if (deprecation === null) return { headersAt: () => beta, removedAt: undefined, removalMessage: '' };
  const { since, sunset, successor, documentation } = deprecation;
  const dates = ['Deprecation', `@${Date.parse(since) / 1_000}`, 'Sunset', new Date(sunset).toUTCString()];
  const replacement = contract.operations[successor];
  if (replacement === undefined)
    throw new Error(`The successor of ${id} is ${successor}, which is not in the contract.`);
  const { method, path } = replacement;
  const headersAt = (origin: string) => [
    ...beta,
    ...dates,
    'Link',
    `<${origin}${documentation}>; rel="deprecation"; type="text/html"`,
    'Link',
    `<${origin}${contract.basePath}${path}>; rel="successor-version"`,
  ];
  // Nearly all requests come by the same origin.
  let last = { origin: '', headers: headersAt('') };
  return {
    headersAt: (origin) => {
      if (last.origin !== origin) last = { origin, headers: headersAt(origin) };
      return last.headers;
    },
    removedAt: Date.parse(sunset),
    removalMessage: `${id} was removed on ${sunset.slice(0, 10)}. Use ${successor} instead: ${method} ${path}.`,
  };
}
