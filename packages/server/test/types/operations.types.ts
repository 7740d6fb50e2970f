/**
 * Type tests: invalid operations must not compile, and valid ones must. `npm run typecheck` compiles this file, which
 * never runs. A `@ts-expect-error` above a line that compiles is itself an error.
 */

import type { contract } from '@animal-store/contract/service';
import { createService } from '@contract-first/service';
import express, { Router } from 'express';
import * as errors from '../../../service/src/openapi/api-error.ts';
import type * as types from '../../../service/src/openapi/operation.ts';
import type { ServiceParts } from '../../../service/src/openapi/service-parts.ts';
import { api } from '../../src/operations/api.ts';
import { ApiError, type Operation, type Operations, type Result } from '../../src/operations/operation.ts';
import type { PetStore } from '../../src/operations/storage/store.ts';

type Contract = typeof contract;

const pet = { id: 1, name: 'Rex', categoryId: 3 };

declare const listPets: Operation<'listPets'>;
declare const createPet: Operation<'createPet'>;
declare const getPet: Operation<'getPet'>;

/** True only if both types are identical, including whether properties are optional. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function holds<_ extends true>(): void {}

declare const others: Omit<Operations, 'listPets' | 'createPet' | 'getPet'>;

export const everyOperation: Operations = { listPets, createPet, getPet, ...others };

// @ts-expect-error an operation left out
export const operationLeftOut: Operations = { listPets, createPet, ...others };

// @ts-expect-error an operation that the contract does not have
export const operationTooMany: Operations = { listPets, createPet, getPet, ...others, sellPet: getPet };

// @ts-expect-error an operation under another's name
export const operationMistaken: Operations = { listPets, createPet: getPet, getPet, ...others };

export const wholeService = createService(api);

export const serviceWithOneTooMany = createService({
  ...api,
  // @ts-expect-error an operation that the contract does not have
  operations: { ...api.operations, sellPet: getPet },
});

declare const some: Partial<Operations>;

export const serviceWithSome = createService({ ...api, operations: some });

export const apiWithSome = { ...api, operations: some } satisfies ServiceParts<PetStore, Contract>;

// @ts-expect-error an operation under another's name, while others are left out
export const serviceWithOneMistaken = createService({ ...api, operations: { listPets, createPet: getPet } });

export const success: Operation<'getPet'> = async () => ({ status: 200, body: { ...pet, status: 'sold' } });

// @ts-expect-error a success that the contract does not document
export const undocumentedSuccess: Operation<'createPet'> = async () => ({ status: 200, body: pet });

// @ts-expect-error a refusal is an ApiError, never a status with a body
export const refusalByHand: Operation<'getPet'> = async () => ({ status: 404, body: pet });

// @ts-expect-error no body
export const bodyLeftOut: Operation<'getPet'> = async () => ({ status: 200 });

// @ts-expect-error a field of the wrong type
export const fieldOfWrongType: Operation<'getPet'> = async () => ({ status: 200, body: { ...pet, id: '1' } });

// @ts-expect-error a field left out
export const fieldLeftOut: Operation<'getPet'> = async () => ({ status: 200, body: { id: 1, name: 'Rex' } });

// TypeScript detects undocumented fields only if the return type is written out; otherwise the response check finds them.
export async function fieldTooMany(): Promise<Result<'getPet'>> {
  // @ts-expect-error a field that the contract does not have
  return { status: 200, body: { ...pet, colour: 'red' } };
}

export async function headerTooMany(): Promise<Result<'listPets'>> {
  // @ts-expect-error an undocumented header next to a documented one
  return { status: 200, body: [], headers: { Link: '<x>', 'X-Total': '1' } };
}

// @ts-expect-error an invalid status of an animal
export const valueOutOfList: Operation<'getPet'> = async () => ({ status: 200, body: { ...pet, status: 'lost' } });

// @ts-expect-error one animal instead of a page
export const bodyOfAnother: Operation<'listPets'> = async () => ({ status: 200, body: pet });

// @ts-expect-error a field of the wrong type within a page
export const fieldWithinPage: Operation<'listPets'> = async () => ({ status: 200, body: [{ ...pet, name: 7 }] });

export const refusal: Operation<'getPet'> = async () => new ApiError('pet_not_found', 'x');

// @ts-expect-error a code whose status (404) the operation does not document
export const undocumentedCode: Operation<'listPets'> = async () => new ApiError('pet_not_found', 'x');

// @ts-expect-error a code whose status (422) the operation does not document
export const codeOfAnother: Operation<'getPet'> = async () => new ApiError('idempotency_key_reused', 'x');

// @ts-expect-error a code that is not in the list
export const unknownCode = new ApiError('oops', 'x');

export const header: Operation<'listPets'> = async () => ({ status: 200, body: [], headers: { Link: '<x>' } });

// @ts-expect-error a header that the contract does not document
export const unknownHeader: Operation<'listPets'> = async () => ({
  status: 200,
  body: [],
  headers: { 'X-Total': '1' },
});

// @ts-expect-error a header of another operation
export const headerOfAnother: Operation<'getPet'> = async () => ({
  status: 200,
  body: pet,
  headers: { Location: 'x' },
});

// @ts-expect-error a header that is set for every operation
export const commonHeader: Operation<'getPet'> = async () => ({ status: 200, body: pet, headers: { Sunset: 'x' } });

export const reading: Operation<'listPets'> = async ({ storage }) => ({
  status: 200,
  body: await storage.listPets({ limit: 1 }),
});

export const writingWhereOnlyReads: Operation<'listPets'> = async ({ storage }) => {
  // @ts-expect-error an operation that reads cannot write
  await storage.addPet({ name: 'Rex', categoryId: 3 });
  return { status: 200, body: [] };
};

export const writing: Operation<'createPet'> = async ({ storage, body }) => ({
  status: 201,
  body: await storage.addPet(body),
  headers: { Location: '/v1/pets/1' },
});

// @ts-expect-error a 201 needs the header Location
export const headerLeftOut: Operation<'createPet'> = async () => ({ status: 201, body: pet });

// @ts-expect-error the header with the wrong type
export const headerOfWrongType: Operation<'createPet'> = async () => ({
  status: 201,
  body: pet,
  headers: { Location: 1 },
});

export const bodyWhereNone: Operation<'getPet'> = async ({ body }) => {
  // @ts-expect-error a reading operation has no body
  body.name.trim();
  return { status: 200, body: pet };
};

export const unknownQuery: Operation<'listPets'> = async ({ query }) => {
  // @ts-expect-error a query parameter that the contract does not have
  void query.offset;
  return { status: 200, body: [] };
};

type ListQuery = types.Input<Contract, 'listPets'>['query'];
holds<Same<ListQuery['limit'], number>>();
holds<Same<ListQuery['status'], 'available' | 'pending' | 'sold' | undefined>>();
holds<Same<ListQuery['cursor'], string | undefined>>();
holds<Same<types.Input<Contract, 'getPet'>['path']['petId'], number>>();
holds<Same<types.Input<Contract, 'createPet'>['body']['name'], string>>();
holds<Same<types.Input<Contract, 'createPet'>['body']['categoryId'], number>>();
holds<Same<types.Input<Contract, 'createPet'>['body']['status'], 'available' | 'pending' | 'sold' | undefined>>();
holds<Same<types.Input<Contract, 'getPet'>['body'], undefined>>();
holds<Same<Extract<types.CodeOf<Contract, 'getPet'>, 'pet_not_found' | 'body_too_large'>, 'pet_not_found'>>();
// @ts-expect-error proves that Same can be false
holds<Same<ListQuery['limit'], number | undefined>>();

type OwnFacts = Contract['operations']['createPet'] & { transaction: 'own' };
type OwnContract = Omit<Contract, 'operations'> & { operations: { createPet: OwnFacts } };

export const inParts: types.Operation<OwnContract, 'createPet', PetStore> = async ({ storage, transaction, body }) => {
  await storage.findPet(1);
  // @ts-expect-error a write outside a transaction
  await storage.addPet(body);
  const created = await transaction((storage) => storage.addPet(body));
  return { status: 201, body: created, headers: { Location: '/v1/pets/1' } };
};

export const inOneTransaction: Operation<'createPet'> = async (call) => {
  // @ts-expect-error a transaction inside that of the operation
  await call.transaction(() => undefined);
  return new ApiError('invalid_request', 'x');
};

type RawFacts = Contract['operations']['createPet'] & { rawBody: true };
type RawContract = Omit<Contract, 'operations'> & { operations: { createPet: RawFacts } };
holds<Same<types.Input<RawContract, 'createPet'>['rawBody'], Uint8Array>>();
// @ts-expect-error the bytes of a body that the operation did not ask for
holds<Same<types.Input<Contract, 'createPet'>['rawBody'], Uint8Array>>();

type Middleware = ReturnType<NonNullable<ServiceParts<PetStore, Contract>['middleware']>>;

export const middleware = {
  beforeKey: [Router().post('/hooks', express.json()), async (_request, response) => void response.json({})],
  afterKey: [
    (_request, _response, next) => next(new ApiError('service_unavailable', 'x')),
    (_request, _response, next) => next(new errors.ApiError('service_unavailable', 'x')),
    (_request, _response, next) => next(new Error('not for the caller')),
    (_request, _response, next) => next(),
    // @ts-expect-error a code that the contract does not have, with the class of this API
    (_request, _response, next) => next(new ApiError('forbidden', 'x')),
    // @ts-expect-error a code that the contract does not have, with the class of the service
    (_request, _response, next) => next(new errors.ApiError('forbidden', 'x')),
  ],
} satisfies Middleware;
