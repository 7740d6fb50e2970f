import { Document, parseDocument } from 'yaml';
import { keysOf } from '../src/common/json.ts';

/** A change of a contract at a JSON pointer, for tests: `append` adds to a list; without a value, the part is removed. */
export type Edit = { at: string; value?: unknown; append?: unknown; copyOf?: string };

/** The YAML of a contract with edits. The rest stays unchanged. */
export function editedYaml(yaml: string, edits: readonly Edit[]): string {
  return edit(parseDocument(yaml), edits).toString({ lineWidth: 0 });
}

/** A copy of a contract with edits. */
export function editedContract(contract: object, edits: readonly Edit[]): object {
  return edit(new Document(structuredClone(contract), { aliasDuplicateObjects: false }), edits).toJS();
}

function edit<Edited extends Document.Parsed | Document>(document: Edited, edits: readonly Edit[]): Edited {
  for (const { at, value, append, copyOf } of edits) {
    const path = pathOf(at);
    if (append !== undefined) document.addIn(path, document.createNode(append));
    else if (copyOf !== undefined) document.setIn(path, document.createNode(partOf(document, copyOf)));
    else if (value !== undefined) document.setIn(path, document.createNode(value));
    else if (!document.deleteIn(path)) throw new Error(`There is nothing to remove at ${at}.`);
  }
  return document;
}

function partOf(document: Document.Parsed | Document, pointer: string): unknown {
  return pathOf(pointer).reduce((part, key) => Reflect.get(Object(part), key), document.toJS());
}

function pathOf(pointer: string): (string | number)[] {
  return keysOf(pointer).map((key) => (/^\d$/.test(key) ? Number(key) : key));
}
