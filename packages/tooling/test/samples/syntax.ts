import { parser as javaParser } from '@lezer/java';
import { parser as pythonParser } from '@lezer/python';

const parsers = { python: pythonParser, java: javaParser };

/** The syntax errors in Python or Java code, as `line 3: the text there`. */
export function syntaxErrors(language: keyof typeof parsers, source: string): string[] {
  const errors: string[] = [];
  parsers[language].parse(source).iterate({
    enter: ({ type, from }) => {
      if (!type.isError) return;
      const line = source.slice(0, from).split('\n').length;
      errors.push(`line ${line}: ${source.split('\n')[line - 1]?.trim() ?? ''}`);
    },
  });
  return errors;
}
