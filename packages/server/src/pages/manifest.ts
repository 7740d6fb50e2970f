/** Lies beside the files of a site and says how each of them is delivered. The build of the docs writes it. */
export const manifestName = 'delivery.json';

/** The encodings in which a file may lie beside itself, the better one first, with the ending of its name. */
export const encodings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof encodings;

export type Delivery = {
  mediaType: string;
  /** Hash of the content, in hexadecimal: who has a file need not get it again. */
  hash: string;
  /** Whether the file's name changes with its content, so that nobody ever has to ask for it a second time. */
  isImmutable: boolean;
  contentSecurityPolicy: string;
  /** The encodings that lie beside the file. */
  encodings: Encoding[];
};

/** The files of a site by their paths, such as 'guides/keys.html'. Nothing else is delivered. */
export type Manifest = Record<string, Delivery>;

/** @throws Error when the text is no manifest: it was written by another version of the build */
export function parseManifest(text: string): ReadonlyMap<string, Delivery> {
  const files: unknown = JSON.parse(text);
  if (!isRecord(files)) throw new Error(`${manifestName} is no list of files. Run "npm run docs".`);
  return new Map(Object.entries(files).map(([path, entry]) => [path, deliveryOf(path, entry)]));
}

function deliveryOf(path: string, entry: unknown): Delivery {
  if (!isDelivery(entry)) throw new Error(`${manifestName} does not say how to deliver ${path}. Run "npm run docs".`);
  return entry;
}

function isDelivery(entry: unknown): entry is Delivery {
  return (
    isRecord(entry) &&
    [entry['mediaType'], entry['hash'], entry['contentSecurityPolicy']].every((value) => typeof value === 'string') &&
    typeof entry['isImmutable'] === 'boolean' &&
    Array.isArray(entry['encodings']) &&
    entry['encodings'].every((name) => Object.hasOwn(encodings, name))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
