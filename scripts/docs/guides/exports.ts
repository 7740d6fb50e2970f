import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';

export type ExportedName = { name: string; kind: 'function' | 'class' | 'constant' | 'type'; summary: string };

/** What a module exports by name, with the first sentence of its documentation, which the declaring module has. */
export function exportsOf(file: string): ExportedName[] {
  return sourceOf(file).statements.flatMap((statement) => {
    if (!ts.isExportDeclaration(statement) || statement.moduleSpecifier === undefined) return [];
    const { moduleSpecifier, exportClause } = statement;
    if (!ts.isStringLiteral(moduleSpecifier) || exportClause === undefined || !ts.isNamedExports(exportClause))
      return [];
    const declared = declarationsIn(join(dirname(file), moduleSpecifier.text));
    return exportClause.elements.map(({ name, propertyName }) => ({
      ...(declared.get((propertyName ?? name).text) ?? { kind: 'type' as const, summary: '' }),
      name: name.text,
    }));
  });
}

function declarationsIn(file: string): Map<string, Omit<ExportedName, 'name'>> {
  const found = sourceOf(file).statements.flatMap((statement): [string, Omit<ExportedName, 'name'>][] => {
    const summary = summaryOf(statement);
    if (ts.isVariableStatement(statement)) {
      return statement.declarationList.declarations.map(({ name }) => [name.getText(), { kind: 'constant', summary }]);
    }
    if (ts.isFunctionDeclaration(statement)) return [[statement.name?.text ?? '', { kind: 'function', summary }]];
    if (ts.isClassDeclaration(statement)) return [[statement.name?.text ?? '', { kind: 'class', summary }]];
    if (ts.isTypeAliasDeclaration(statement)) return [[statement.name.text, { kind: 'type', summary }]];
    return [];
  });
  // Of an overloaded function, the first declaration with documentation counts.
  return new Map(found.toReversed().sort(([, one], [, other]) => one.summary.length - other.summary.length));
}

function summaryOf(statement: ts.Statement): string {
  const [comment] = ts.getJSDocCommentsAndTags(statement);
  const text = comment === undefined ? '' : (ts.getTextOfJSDocComment(comment.comment) ?? '');
  return (/^[\s\S]*?\.(?=\s|$)/.exec(text)?.[0] ?? text).replaceAll(/\s+/g, ' ').replaceAll('|', '\\|');
}

function sourceOf(file: string): ts.SourceFile {
  return ts.createSourceFile(file, readFileSync(file, 'utf8'), ts.ScriptTarget.ESNext, true);
}
