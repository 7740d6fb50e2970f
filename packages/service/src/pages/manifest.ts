import type { Mode } from '../common/facts.ts';

export {
  type FormField,
  type FormFields,
  headerOf,
  isKeyScheme,
  isOwnPage,
  problemTitle,
  type SecurityScheme,
} from '../common/facts.ts';
export { withoutDiscriminator } from '../contract/document.ts';

/** The manifest in the folder of a built site: how to serve each file. The build of the docs writes it. */
export const manifestName = 'delivery.json';

/** The encodings in which a file may be precompressed, the best first, with their file extensions. */
export const encodings = { br: '.br', gzip: '.gz' } as const;
export type Encoding = keyof typeof encodings;

export type Delivery = {
  mediaType: string;
  /** Hexadecimal hash of the content, for the ETag. */
  hash: string;
  /** Whether the file's name changes with its content, so that browsers may cache it without revalidation. */
  isImmutable: boolean;
  contentSecurityPolicy: string;
  encodings: Encoding[];
  /**
   * Whether the server puts its own address into the file: the file with the ending `.template` contains `originPlaceholder` or the key
   * of a test server.
   */
  isTemplate: boolean;
};

/** Stands for the origin of the server in a template. The name is reserved (RFC 2606), so it never leads anywhere. */
export const originPlaceholder = 'https://this-server.invalid';

/** Stands for the reader's key. Files have that of a test server; the server writes the one of its own mode into templates. */
export function keyPlaceholderOf(keyPrefix: string, mode: Mode): string {
  return `${keyPrefix}_${mode}_YOUR_KEY`;
}

/** The page about getting a key. If the operator has another one, the server leads there instead. */
export const keyPage = 'get-key.html';

export const templateEnding = '.template';

/** The files of a site by path, such as 'guides/keys.html'. Other files are not served. */
export type Manifest = Record<string, Delivery>;

/** @throws Error if the text is not a manifest, for example because another version of the build wrote it */
export function parseManifest(text: string): ReadonlyMap<string, Delivery> {
  const files: unknown = JSON.parse(text);
  if (!isRecord(files)) throw new Error(`${manifestName} is not a list of files. Run "npm run docs".`);
  const site = new Map<string, Delivery>();
  for (const [path, entry] of Object.entries(files)) {
    if (!isDelivery(entry)) throw new Error(`${manifestName} does not say how to deliver ${path}. Run "npm run docs".`);
    site.set(path, entry);
  }
  return site;
}

function isDelivery(entry: unknown): entry is Delivery {
  return (
    isRecord(entry) &&
    [entry['mediaType'], entry['hash'], entry['contentSecurityPolicy']].every((value) => typeof value === 'string') &&
    typeof entry['isImmutable'] === 'boolean' &&
    typeof entry['isTemplate'] === 'boolean' &&
    Array.isArray(entry['encodings']) &&
    entry['encodings'].every((name) => Object.hasOwn(encodings, name))
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
