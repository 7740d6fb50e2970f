import { expect, test } from '@jest/globals';
import { openapiTypescript, withNamedTypes, withPlainComments } from './types.ts';

const readable = (types: string) => withNamedTypes(withPlainComments(types));

const generated = `export interface components {
    schemas: {
        /**
         * Format: int64
         * @description Which note
         *     it is.
         * @example 1
         */
        NoteId: number;
        Note: {
            /**
             * @description The kind.
             * @enum {string}
             */
            kind: "short" | "long";
            parts: components["schemas"]["Note-Part"][];
        } & {
            id: components["schemas"]["NoteId"];
        };
        "Note-Part": components["schemas"]["Note"] | null;
    };
    responses: {
        /**
         * Note
         * @deprecated
         * @description A note.
         */
        Note: components["schemas"]["Note"];
    };
}
export type NoteId = components['schemas']['NoteId'];
export type Note = components['schemas']['Note'];
export type NotePart = components['schemas']['Note-Part'];
export type ResponseNote = components['responses']['Note'];
`;

test('an enum with a line separator is escaped, and its schema stays', async () => {
  const document = {
    ...{ openapi: '3.1.0', info: { title: 'Notes', version: '1.0.0' }, paths: {} },
    components: { schemas: { Kind: { type: 'string', enum: ['a\u2028b', 'c\u2029d'] } } },
  };
  const types = withNamedTypes(await openapiTypescript(document));
  expect(types).toContain(String.raw`export type Kind = "a\u2028b" | "c\u2029d";`);
});

test('an object without properties may have any', async () => {
  const info = { title: 'Notes', version: '1.0.0' };
  const components = { schemas: { Details: { type: 'object' } } };
  const types = withNamedTypes(await openapiTypescript({ openapi: '3.1.0', info, paths: {}, components }));
  expect(types).toContain('export type Details = Record<string, unknown>;');
});

test('each schema is a type of its own, and comments begin with the description and end with the tags', () => {
  expect(readable(generated)).toBe(`export interface components {
    schemas: {
        NoteId: NoteId;
        Note: Note;
        "Note-Part": NotePart;
    };
    responses: {
        /**
         * Note
         *
         * A note.
         * @deprecated
         */
        Note: Note;
    };
}
/**
 * Which note
 * it is.
 *
 * Format: int64
 * @example 1
 */
export type NoteId = number;
export type Note = {
    /** The kind. */
    kind: "short" | "long";
    parts: NotePart[];
} & {
    id: NoteId;
};
export type NotePart = Note | null;
export type ResponseNote = components['responses']['Note'];
`);
});

test('types without schemas stay as they are', () => {
  expect(readable('export interface paths {\n}\n')).toBe('export interface paths {\n}\n');
});
