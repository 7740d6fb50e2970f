import ts from 'typescript';

/**
 * The same declarations with fewer bytes: without the headers of responses, which no call returns as values with types, without the
 * descriptions in `paths` and `operations`, which the signatures of the client and the types of parameters have, too, and with tabs.
 */
export function compactDeclarations(code: string): string {
  const file = ts.createSourceFile('index.d.ts', code, ts.ScriptTarget.Latest, true);
  const edits: { from: number; to: number; text: string }[] = [];
  const visit = (node: ts.Node, isOfOperation: boolean): void => {
    if (isHeadersOfResponse(node)) return void edits.push({ from: node.pos, to: node.end, text: '' });
    const [comment] = isOfOperation ? ts.getJSDocCommentsAndTags(node).filter(ts.isJSDoc) : [];
    if (comment !== undefined) edits.push({ from: comment.pos, to: comment.end, text: marksIn(comment) });
    ts.forEachChild(node, (child) => visit(child, isOfOperation));
  };
  for (const statement of file.statements) {
    const isOfOperations = ts.isInterfaceDeclaration(statement) && /^(paths|operations)$/.test(statement.name.text);
    ts.forEachChild(statement, (child) => visit(child, isOfOperations));
  }
  const lastFirst = edits.toSorted((one, other) => other.from - one.from);
  const kept = lastFirst.reduce((text, { from, to, text: by }) => text.slice(0, from) + by + text.slice(to), code);
  return kept.replaceAll(/^ +\n/gm, '').replaceAll(/^(?: {4})+/gm, (spaces) => '\t'.repeat(spaces.length / 4));
}

/** What editors show wherever an operation is used. */
function marksIn(comment: ts.JSDoc): string {
  const marks = comment.tags
    ?.map(({ tagName }) => `@${tagName.text}`)
    .filter((tag) => /^@(deprecated|beta)$/.test(tag));
  return marks === undefined || marks.length === 0 ? '' : `/** ${marks.join(' ')} */`;
}

/** `headers` next to the `content` of a response. */
function isHeadersOfResponse(node: ts.Node): boolean {
  const isNamed = (member: ts.Node, name: string) =>
    ts.isPropertySignature(member) && ts.isIdentifier(member.name) && member.name.text === name;
  return (
    isNamed(node, 'headers') &&
    ts.isTypeLiteralNode(node.parent) &&
    node.parent.members.some((member) => isNamed(member, 'content'))
  );
}
