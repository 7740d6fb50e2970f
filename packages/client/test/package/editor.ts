import { createRequire } from 'node:module';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import type TypeScript from 'typescript';
import { linkPackages, type PackedClient } from './packed.ts';

// The compiler of the users: that of the workspace is another one.
const ts: typeof TypeScript = createRequire(new URL('../../package.json', import.meta.url))('typescript');

const start = `import { createAnimalStore } from '@animal-store/client';
import { createAnimalStoreQueries } from '@animal-store/client/queries';
import { useMutation, useQuery } from '@tanstack/react-query';
const store = createAnimalStore({ apiKey: 'a', baseUrl: 'https://api.example/v1' });
const { queries, mutations } = createAnimalStoreQueries(store);
`;

/** What fewer programs use. */
const more = `import { createPetBody } from '@animal-store/client/forms';
`;

/** Tests of what an editor shows for the types of the tarball, with the language service of TypeScript. */
export function describeEditor(packed: () => PackedClient): void {
  let editor: ReturnType<typeof openEditor>;
  beforeAll(() => {
    const project = packed().project('typescript-bundler');
    linkPackages(project, {
      '@tanstack/react-query': '@tanstack/react-query',
      react: 'react',
      '@types/react': '@types/react',
    });
    editor = openEditor(join(project, 'editor.ts'));
  });

  test.each([
    ["const | = await store.GET('/pets');", 'CallResult<Pet[], ListPetsError>'],
    ['const | = await store.pets.list();', 'Page<Pet>'],
    ['const | = await store.pets.get({ petId: 1 });', 'Pet'],
    ['const | = useQuery(queries.pets.list());', 'UseQueryResult<Pet[], QueryError<ListPetsError>>'],
    [
      'const | = useMutation(mutations.pets.update());',
      'UseMutationResult<Pet, QueryError<UpdatePetError>, UpdatePetParams, unknown>',
    ],
    ['const | = queries.pets.list();', 'QueryOptions<Pet[], QueryError<ListPetsError>>'],
    ['const | = queries.pets.list.infinite();', 'InfiniteOptions<Pet, Pet[], QueryError<ListPetsError>>'],
    ['const | = mutations.pets.update();', 'MutationOptions<UpdatePetParams, Pet, QueryError<UpdatePetError>>'],
    ['const | = createPetBody;', 'FormSchema<NewPet>'],
    ['const | = store.pets.list;', '(params?: ListPetsParams, options?: CallOptions) => ListCall<Pet>'],
  ])('%s has a short type', (code, type) => {
    expect(editor.hover(more + code.replace('|', '|shown')).type).toBe(`const shown: ${type}`);
  });

  test.each([
    ["store.|GET('/pets');", 'List animals'],
    ["store.|POST('/pets', { body: { name: 'Rex', categoryId: 1 } });", 'Add an animal'],
    ['store.pets.|list();', 'List animals'],
    ['queries.pets.|list();', 'List animals'],
    ["store.GET('/pets', { params: { query: { |limit: 1 } } });", 'Maximum number of entries to return.'],
    ['store.pets.list({ |limit: 1 });', 'Maximum number of entries to return.'],
    ["store.POST('/pets', { |body: { name: 'Rex', categoryId: 1 } });", 'The animal to add.'],
    ["store.POST('/pets', { body: { |name: 'Rex', categoryId: 1 } });", "The animal's name."],
    ["(await store.GET('/pets')).data?.[0]?.|name;", "The animal's name."],
    ['(await store.pets.list())[0]?.|name;', "The animal's name."],
  ])('%s shows the description of the contract', (code, description) => {
    expect(editor.hover(code).documentation).toMatch(new RegExp(`^${description}`));
  });

  test.each([
    ["store.|GET('/pets/{petId}', { params: { path: { petId: 1 } } });"],
    ['store.pets.|get({ petId: 1 });'],
    ['queries.pets.|get({ petId: 1 });'],
  ])('%s is struck through, and its definition has the comment of the operation', (code) => {
    const found = editor.definition(code);
    expect(found).toMatch(/@deprecated Will be removed on 5 December 2030[^/]*\*\/\s*\S*$/);
    // Queries are properties: an editor shows their comment.
    if (!code.startsWith('queries')) expect(editor.deprecated(code)).toHaveLength(1);
  });

  test.each([
    ["store.GET('|');", '', '/pets'],
    ["store.GET('/pets', { params: { query: { | } } });", 'l', 'limit'],
    ["store.GET('/pets/{petId}', { params: { path: { | } } });", '', 'petId'],
    ["store.PATCH('/pets/{petId}', { params: { path: { petId: 1 }, header: { | } } });", '', '"If-Match"'],
    ["store.POST('/pets', { body: { | } });", 'n', 'name'],
    ["(await store.GET('/pets')).data?.[0]?.|;", '', 'categoryId'],
    ['store.pets.list({ | });', 'l', 'limit'],
    ['store.pets.|;', '', 'list'],
  ])('%s is completed', (code, typed, expected) => {
    expect(editor.completions(code, typed)).toContain(expected);
  });

  test.each([
    [
      "store.GET('/pets', { params: { query: { limitt: 1, status: 'sold' } } });",
      'limitt',
      "Did you mean to write 'limit'?",
    ],
    ["store.POST('/pets', { body: { nam: 'Rex', categoryId: 1 } });", 'nam', "Did you mean to write 'name'?"],
    [
      "store.POST('/pets', { body: { name: 'Rex', categoryId: 1, colour: 'red' } });",
      'colour',
      "'colour' does not exist",
    ],
    [
      "store.GET('/pets/{petId}', { params: { path: { petId: '1' } } });",
      'petId',
      "'string' is not assignable to type 'number'",
    ],
    ["store.GET('/pets', { timeot: 1 });", 'timeot', "Did you mean to write 'timeout'?"],
    ["store.GET('/animals');", "'/animals'", 'is not assignable'],
    ['store.pets.list({ limitt: 1, status: "sold" });', 'limitt', "Did you mean to write 'limit'?"],
  ])('%s has one error, at the wrong part', (code, part, message) => {
    expect(editor.errors(code)).toEqual([[part, expect.stringContaining(message)]]);
  });

  test.each([
    ["store.PATCH('/pets/{petId}', { params: { path: { petId: 1 } }, body: { name: 'Rex' } });"],
    ["store.pets.update({ petId: 1, body: { name: 'Rex' } });"],
    ["useMutation(mutations.pets.update()).mutate({ petId: 1, body: { name: 'Rex' } });"],
  ])('%s needs If-Match', (code) => {
    expect(editor.errors(code)).toEqual([[expect.any(String), expect.stringMatching(/If-Match|'header' is missing/)]]);
  });

  test('the types of a page with all of this are checked in a number of steps that does not grow', () => {
    const code = `const { data, error } = await store.GET('/pets', { params: { query: { limit: 1 } } });
      if (error) throw error;
      const added = await store.POST('/pets', { body: { name: 'Rex', categoryId: 1 } });
      for await (const pet of store.pets.list()) console.log(pet.name, data[0]?.name, added.data?.id);
      useQuery(queries.pets.list()).data?.[0]?.name;
      useMutation(mutations.pets.update()).mutate({ petId: 1, 'If-Match': '*', body: { name: 'Rex' } });`;
    expect(editor.errors(code)).toEqual([]);
    expect(editor.instantiations(code)).toBeLessThan(MOST_INSTANTIATIONS);
  });
}

/** `Instantiations` of `tsc --extendedDiagnostics`: the work of the compiler and of each completion, the same on every machine. */
const MOST_INSTANTIATIONS = 12_000;

/** An editor with one file. In `code`, `|` is the cursor. */
function openEditor(file: string) {
  let text = start;
  let version = 0;
  const readSnapshot = (name: string) => {
    const content = name === file ? text : ts.sys.readFile(name);
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content);
  };
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => ts.sys.useCaseSensitiveFileNames,
    getScriptFileNames: () => [file],
    getScriptVersion: (name) => (name === file ? `${version}` : '0'),
    getScriptSnapshot: readSnapshot,
    getCurrentDirectory: () => join(file, '..'),
    getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    getCompilationSettings: () => ({
      strict: true,
      skipLibCheck: true,
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.ESNext,
      moduleResolution: ts.ModuleResolutionKind.Bundler,
      lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'],
      types: [],
    }),
  });

  /** Writes code at the end of the file. Returns the position of the cursor. */
  function write(code: string): number {
    text = start + code.replace('|', '');
    version += 1;
    return start.length + code.indexOf('|');
  }
  const textOf = ({ start: from = 0, length = 0 }: { start: number | undefined; length: number | undefined }) =>
    text.slice(from, from + length);

  return {
    hover(code: string) {
      const info = service.getQuickInfoAtPosition(file, write(code));
      return {
        type: ts.displayPartsToString(info?.displayParts),
        documentation: ts.displayPartsToString(info?.documentation),
      };
    },
    /** The text that ends with the definition. */
    definition(code: string): string {
      const [found] = service.getDefinitionAtPosition(file, write(code)) ?? [];
      if (found === undefined) return '';
      return ts.sys.readFile(found.fileName)?.slice(0, found.textSpan.start).trimEnd() ?? '';
    },
    deprecated(code: string): string[] {
      write(code);
      return service
        .getSuggestionDiagnostics(file)
        .filter(({ reportsDeprecated }) => reportsDeprecated !== undefined)
        .map(textOf);
    },
    completions(code: string, typed: string): string[] {
      const position = write(code.replace('|', `${typed}|`));
      return service.getCompletionsAtPosition(file, position, {})?.entries.map(({ name }) => name) ?? [];
    },
    errors(code: string): [string, string][] {
      write(code);
      return service
        .getSemanticDiagnostics(file)
        .map((error) => [textOf(error), ts.flattenDiagnosticMessageText(error.messageText, '\n')]);
    },
    instantiations(code: string): number {
      write(code);
      service.getSemanticDiagnostics(file);
      return service.getProgram()?.getInstantiationCount() ?? Number.NaN;
    },
  };
}
