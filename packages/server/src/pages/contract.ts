import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { contractJson } from '@animal-store/contract/document';
import type { RequestHandler } from 'express';
import { projectFolder } from './project-folder.ts';

/** /openapi.yaml: the contract as it is written by hand. */
export const contractAsYaml: RequestHandler = async (_request, response) => {
  response.type('application/yaml').send(await readFile(join(projectFolder, 'openapi.yaml'), 'utf8'));
};

/** /openapi.json: the same contract, bundled. */
export const contractAsJson: RequestHandler = (_request, response) => {
  response.type('json').send(contractJson);
};
