import ts from 'typescript';

/** The names of the values that a declaration file exports for use at runtime. Pure types are left out. */
export function declaredValues(file: string): string[] {
  const program = ts.createProgram([file], {
    module: ts.ModuleKind.NodeNext,
    moduleResolution: ts.ModuleResolutionKind.NodeNext,
    types: [],
  });
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (module === undefined) throw new Error(`${file} is no module.`);
  const isValue = (symbol: ts.Symbol) => (symbol.flags & ts.SymbolFlags.Value) !== 0;
  const target = (symbol: ts.Symbol) =>
    (symbol.flags & ts.SymbolFlags.Alias) !== 0 ? checker.getAliasedSymbol(symbol) : symbol;
  return checker
    .getExportsOfModule(module)
    .filter((symbol) => isValue(target(symbol)))
    .map(({ name }) => name);
}
