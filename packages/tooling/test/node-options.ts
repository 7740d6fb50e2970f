import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../src/project.ts';

const { start }: Record<string, string> = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).scripts;

/** The options of Node.js with which `npm start` runs the server. */
export const nodeOptions = start?.split(' ').filter((word) => word.startsWith('--')) ?? [];
