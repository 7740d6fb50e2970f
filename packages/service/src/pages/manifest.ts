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
export { withoutDiscriminator } from '../openapi/document.ts';

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
  /** Whether the server puts its own address and key into the file, which has the ending `.template`. */
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

export function parseManifest(text: string): ReadonlyMap<string, Delivery> {
  const files: Manifest = JSON.parse(text);
  return new Map(Object.entries(files));
}
