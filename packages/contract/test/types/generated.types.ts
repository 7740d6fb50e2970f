/**
 * Tests the properties of the generated types that the packages rely on, with any generator. Compiled by `npm run
 * typecheck`, never run.
 */
import type {
  components,
  ErrorBody,
  NewPet,
  OperationTypes,
  Pet,
  PetPatch,
  PetStatus,
  paths,
} from '@animal-store/contract';

type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

type Parameters<Id extends keyof OperationTypes> = OperationTypes[Id]['parameters'];
type Responses<Id extends keyof OperationTypes> = OperationTypes[Id]['responses'];

// Schemas: optional properties, references, enumerations and null.
holds<Same<Pet, { id: number; name: string; categoryId: number; status?: 'available' | 'pending' | 'sold' }>>();
holds<Same<NewPet, { name: string; categoryId: number; status?: PetStatus }>>();
holds<Same<PetPatch['status'], 'available' | 'pending' | 'sold' | null | undefined>>();
holds<Same<ErrorBody['details'], { where: string; what: string }[] | undefined>>();
holds<Same<components['schemas']['Pet'], Pet>>();

// openapi-fetch finds an operation by its path and method.
holds<Same<paths['/pets']['get'], OperationTypes['listPets']>>();
holds<Same<paths['/pets/{petId}']['patch'], OperationTypes['updatePet']>>();
holds<Same<paths['/pets']['patch'], undefined>>();

// Parameters: a place is optional if all of its parameters are, and `never` if it has none.
holds<Same<Parameters<'getPet'>['path'], { petId: number }>>();
holds<Same<Parameters<'getPet'>['query'], undefined>>();
holds<Same<Parameters<'createPet'>['header'], { 'Idempotency-Key'?: string } | undefined>>();
holds<Same<NonNullable<Parameters<'listPets'>['query']>['id'], number[] | undefined>>();

// Bodies, by media type.
type Body<Id extends 'createPet' | 'updatePet'> = OperationTypes[Id]['requestBody']['content'];
holds<Same<Body<'createPet'>, { 'application/json': NewPet }>>();
holds<Same<Body<'updatePet'>, { 'application/merge-patch+json': PetPatch }>>();
holds<Same<OperationTypes['listPets']['requestBody'], undefined>>();

// Responses, by status: a body or none, and headers of which others may exist.
holds<Same<Responses<'listPets'>[200]['content'], { 'application/json': Pet[] }>>();
holds<Same<Responses<'listPets'>[304]['content'], undefined>>();
holds<Same<Responses<'deletePet'>[204]['content'], undefined>>();
holds<Same<Responses<'createPet'>[201]['headers']['Location'], string>>();
holds<Same<Responses<'createPet'>[201]['headers']['any other'], unknown>>();
holds<Same<Responses<'getPet'>[404]['content'], { 'application/json': ErrorBody }>>();

// @ts-expect-error a status that the operation does not document
export type Undocumented = Responses<'deletePet'>[200];
