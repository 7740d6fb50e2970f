import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A project with these files in a temporary folder. Programs that run in the folder work on that project. */
export class TestProject {
  readonly folder = mkdtempSync(join(tmpdir(), 'project-'));

  constructor(files: Record<string, string>) {
    this.write({ 'package.json': '{ "name": "field-notes", "type": "module" }', 'openapi.yaml': '', ...files });
  }

  write(files: Record<string, string>): void {
    for (const [name, text] of Object.entries(files)) {
      const file = join(this.folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }

  remove(): void {
    rmSync(this.folder, { recursive: true });
  }
}
