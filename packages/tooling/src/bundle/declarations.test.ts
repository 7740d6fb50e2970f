import { expect, test } from '@jest/globals';
import { compactDeclarations } from './declarations.ts';

test('published declarations have no headers of responses, describe operations once, and are indented by tabs', () => {
  const code = `interface paths {
    /**
     * List notes
     * @deprecated
     */
    get: operations["listNotes"];
}
interface operations {
    listNotes: {
        parameters: { header?: { headers?: string } };
        responses: {
            /** The notes. */
            200: {
                headers: {
                    /** The next page. */
                    Link?: string;
                    [name: string]: unknown;
                };
                content: { "application/json": string[] };
            };
        };
    };
}
type Options = {
    /** The headers. */
    headers?: Record<string, string>;
};
`;
  expect(compactDeclarations(code)).toBe(`interface paths {
\t/** @deprecated */
\tget: operations["listNotes"];
}
interface operations {
\tlistNotes: {
\t\tparameters: { header?: { headers?: string } };
\t\tresponses: {
\t\t\t200: {
\t\t\t\tcontent: { "application/json": string[] };
\t\t\t};
\t\t};
\t};
}
type Options = {
\t/** The headers. */
\theaders?: Record<string, string>;
};
`);
});
