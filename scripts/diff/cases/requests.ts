import type { PlantedBreak } from './case.ts';

/** What a caller sends today and would be refused tomorrow. */
export const brokenRequests: PlantedBreak[] = [
  {
    when: 'a parameter is made required',
    edits: [{ at: '#/components/parameters/Limit/required', value: true }],
    says: 'parameter Limit (listPets): `limit` query parameter became required.',
    line: 'required: true',
  },
  {
    when: 'a required header is added',
    edits: [
      {
        at: '#/paths/~1pets~1{petId}/get/parameters',
        append: { name: 'X-Reason', in: 'header', required: true, schema: { type: 'string' } },
      },
    ],
    says: 'getPet, parameter X-Reason: Required `X-Reason` header parameter was added.',
    line: 'required: true',
  },
  {
    when: 'a parameter is removed',
    isAlone: true,
    edits: [{ at: '#/paths/~1pets/get/parameters/1' }],
    says: 'listPets, parameter status: `status` query parameter was removed.',
    line: '- name: status',
  },
  {
    when: 'a default is added',
    isAlone: true,
    edits: [
      {
        at: '#/paths/~1pets/get/parameters/1/schema',
        value: { type: 'string', enum: ['available', 'pending', 'sold'], default: 'available' },
      },
    ],
    says: 'listPets, parameter status: Default "available" was added.',
    line: 'default: available',
  },
  {
    when: 'a property may no longer be sent',
    isAlone: true,
    edits: [{ at: '#/components/schemas/PetName/readOnly', value: true }],
    says: 'PetName (listPets, createPet, getPet): `readOnly` was set.',
    line: 'readOnly: true',
  },
  {
    when: 'a maximum is lowered',
    edits: [{ at: '#/components/parameters/Limit/schema/maximum', value: 50 }],
    says: "parameter Limit (listPets): Upper bound changed from '<= 100' to '<= 50'.",
    line: 'maximum: 50',
  },
  {
    when: 'a minimum is raised',
    edits: [{ at: '#/components/parameters/Limit/schema/minimum', value: 2 }],
    says: "parameter Limit (listPets): Lower bound changed from '>= 1' to '>= 2'.",
    line: 'minimum: 2',
  },
  {
    when: 'a default is changed',
    edits: [{ at: '#/components/parameters/Limit/schema/default', value: 50 }],
    says: 'parameter Limit (listPets): Default 20 became 50.',
    line: 'default: 50',
  },
  {
    when: 'a value is removed from an enum',
    edits: [{ at: '#/components/schemas/PetStatus/enum', value: ['available', 'pending'] }],
    says: "PetStatus (listPets, createPet, getPet): Enum of `PetStatus` lost values: 'sold'.",
    line: 'enum:',
  },
  {
    when: 'a property of a request is made required',
    edits: [{ at: '#/components/schemas/NewPet/required', append: 'status' }],
    says: 'NewPet (createPet): Properties of `NewPet` became required: `status`.',
    line: 'required: [ name, categoryId, status ]',
  },
  {
    when: 'a type is changed',
    edits: [{ at: '#/components/schemas/CategoryId/type', value: 'string' }],
    says: "CategoryId (listPets, createPet, getPet): Type of `categoryId` narrowed from 'integer' to 'string'.",
    line: 'type: string',
  },
  {
    when: 'an operation is removed with its path',
    isAlone: true,
    edits: [{ at: '#/paths/~1pets~1{petId}' }],
    says: 'getPet: Operation `getPet` (GET /pets/{petId}) was removed.',
    line: 'get:',
  },
  {
    when: 'an operation is removed from its path',
    isAlone: true,
    edits: [{ at: '#/paths/~1pets/post' }],
    says: 'createPet: Operation `POST /pets` was removed.',
    line: 'post:',
  },
  {
    when: 'an operation is renamed',
    isAlone: true,
    edits: [{ at: '#/paths/~1pets/get/operationId', value: 'getPets' }],
    says: "getPets: `operationId` of operation `GET /pets` changed from 'listPets' to 'getPets'.",
    line: 'operationId: getPets',
  },
  {
    when: 'security is added to an operation',
    edits: [
      { at: '#/components/securitySchemes/second', value: { type: 'apiKey', in: 'header', name: 'X-Second' } },
      { at: '#/paths/~1pets/get/security', value: [{ apiKey: [], second: [] }] },
    ],
    says: 'listPets: Security requirement `apiKey` now requires `second`.',
    line: 'second: []',
  },
];
