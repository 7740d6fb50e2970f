import type { PlantedBreak } from './case.ts';

/** What a caller reads today and would miss or not understand tomorrow. */
export const brokenReplies: PlantedBreak[] = [
  {
    when: 'a property is removed from a reply',
    edits: [{ at: '#/components/schemas/Error/properties/details' }],
    says: 'Error.details (listPets, createPet, getPet): Property `details` of `Error` was removed.',
    line: 'details:',
  },
  {
    when: 'a property of a reply is no longer required',
    edits: [{ at: '#/components/schemas/Pet/required', value: ['id', 'name'] }],
    says: 'Pet (listPets, createPet, getPet): Properties of `Pet` are no longer required: `categoryId`.',
    line: 'required:',
  },
  {
    when: 'a value is added to an enum of replies',
    edits: [{ at: '#/components/schemas/PetStatus/enum', append: 'lost' }],
    says: "PetStatus (listPets, createPet, getPet): Enum of `PetStatus` gained values: 'lost'.",
    line: 'enum: [ available, pending, sold, lost ]',
  },
  {
    when: 'an error code is removed',
    edits: [
      { at: '#/components/schemas/ErrorCode/enum/1' },
      { at: '#/components/schemas/ErrorCode/x-codes/invalid_json' },
    ],
    says: 'ErrorCode (listPets, createPet, getPet): Enum lost values:',
    line: 'enum:',
  },
  {
    when: 'the status of an error code is changed',
    edits: [{ at: '#/components/schemas/ErrorCode/x-codes/invalid_json/status', value: 422 }],
    says: 'ErrorCode (listPets, createPet, getPet): Status of the error code `invalid_json` changed from 400 to 422.',
    line: 'status: 422',
  },
  {
    when: 'a status is removed',
    edits: [{ at: '#/paths/~1pets/get/responses/400' }],
    says: 'listPets, status 400: Response `400` was removed.',
    line: "'400': { $ref: '#/components/responses/BadRequest' }",
  },
  {
    when: 'a header is removed from a reply',
    edits: [{ at: '#/paths/~1pets/post/responses/201/headers/Location' }],
    says: 'createPet, status 201, header Location: Response header `Location` was removed.',
    line: "Location: { $ref: '#/components/headers/Location' }",
  },
  {
    when: 'a header of a reply is no longer required',
    edits: [{ at: '#/components/headers/X-RateLimit-Reset/required' }],
    says: 'header X-RateLimit-Reset (listPets, createPet, getPet): Response header is no longer required.',
    line: 'X-RateLimit-Reset:',
  },
];
