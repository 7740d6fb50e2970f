import { expect, test } from '@jest/globals';
import { compactDeclarations } from './declarations.ts';

test('published declarations have no headers of responses, and are indented by tabs', () => {
  const code = `interface operations {
    listNotes: {
        parameters: { header?: { headers?: string } };
        responses: {
            /** The notes. */
            200: {
                headers: {
                    Link?: string;
                    [name: string]: unknown;
                };
                content: { "application/json": string[] };
            };
        };
    };
}
type Options = { headers?: Record<string, string> };
`;
  expect(compactDeclarations(code)).toBe(`interface operations {
\tlistNotes: {
\t\tparameters: { header?: { headers?: string } };
\t\tresponses: {
\t\t\t/** The notes. */
\t\t\t200: {
\t\t\t\tcontent: { "application/json": string[] };
\t\t\t};
\t\t};
\t};
}
type Options = { headers?: Record<string, string> };
`);
});
