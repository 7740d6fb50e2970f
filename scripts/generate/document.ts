/** The parts of the bundled contract that the generators read. `npm run lint` holds the document to this shape. */
export type ContractDocument = {
  info: { title: string; version: string };
  servers: { url: string }[];
  paths: Record<string, Record<string, OperationObject>>;
  components: {
    parameters: Record<string, ParameterObject>;
    headers: Record<string, object>;
    schemas: Record<string, { enum?: string[] }> & {
      ErrorCode: { enum: string[]; 'x-codes': Record<string, ErrorCodeRow> };
    };
  };
  'x-rate-limits': { plans: Record<string, object>; anonymous: object; ban: object };
  'x-limits': Record<string, number>;
};

export type OperationObject = {
  operationId: string;
  description?: string;
  deprecated?: boolean;
  'x-stability'?: 'beta';
  'x-deprecation'?: { since: string; sunset: string; successor: string; documentation: string };
  parameters?: (ParameterObject | { $ref: string })[];
  requestBody?: object;
  responses: Record<string, object>;
};

export type ParameterObject = {
  name: string;
  in: 'query' | 'path' | 'header';
  schema: { type?: string; default?: unknown };
};

export type ErrorCodeRow = { status: number; cause: string; action: string };

const methods = new Set(['get', 'put', 'post', 'delete', 'patch']);

/** Every operation of the contract with its method (upper case) and path, in the order of the document. */
export function operationsOf(document: ContractDocument) {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.has(method))
      .map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

/** The parameters of an operation, references to components resolved. */
export function parametersOf(document: ContractDocument, operation: OperationObject): ParameterObject[] {
  return (operation.parameters ?? []).map((parameter) => {
    if (!('$ref' in parameter)) return parameter;
    const name = parameter.$ref.slice('#/components/parameters/'.length);
    const resolved = document.components.parameters[name];
    if (resolved === undefined) throw new Error(`${operation.operationId}: cannot resolve ${parameter.$ref}`);
    return resolved;
  });
}
