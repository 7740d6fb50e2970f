import type { Contract, OperationFacts } from '../common/facts.ts';

/** The stability and the deprecation of an operation, for its responses. Headers are names and values that alternate. */
export type Lifecycle = {
  /** `X-Stability` of a beta operation; `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of a deprecated one. */
  headers: readonly string[];
  deprecation: Deprecation | undefined;
};

type Deprecation = {
  linksFrom: (origin: string) => readonly string[];
  /** Unix milliseconds of the sunset. */
  removedAt: number;
  removalMessage: string;
};

export function lifecycleOf(id: string, { stability, deprecation }: OperationFacts, contract: Contract): Lifecycle {
  const beta = stability === 'beta' ? ['X-Stability', 'beta'] : [];
  if (deprecation === null) return { headers: beta, deprecation: undefined };
  const { since, sunset, successor, documentation } = deprecation;
  const replacement = contract.operations[successor];
  if (replacement === undefined)
    throw new Error(`The successor of ${id} is ${successor}, which is not in the contract.`);
  const { method, path } = replacement;
  const dates = ['Deprecation', `@${Date.parse(since) / 1_000}`, 'Sunset', new Date(sunset).toUTCString()];
  return {
    headers: [...beta, ...dates],
    deprecation: {
      linksFrom: (origin) => [
        'Link',
        `<${documentation.startsWith('/') ? origin : ''}${documentation}>; rel="deprecation"; type="text/html"`,
        // The URL of one with path parameters is unknown.
        ...(path.includes('{') ? [] : ['Link', `<${origin}${contract.basePath}${path}>; rel="successor-version"`]),
      ],
      removedAt: Date.parse(sunset),
      removalMessage: `${id} was removed on ${sunset.slice(0, 10)}. Use ${successor} instead: ${method} ${path}.`,
    },
  };
}
