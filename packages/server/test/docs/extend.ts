/** The code in docs/extend.md, word for word. extend.ci.test.ts runs it. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { BlockList } from 'node:net';
import { enumerations } from '@animal-store/contract';
import type { contract } from '@animal-store/contract/service';
import { Router, text } from 'express';
import type { Clock } from '../../../service/src/common/time.ts';
import { ApiError } from '../../../service/src/openapi/api-error.ts';
import type { ServiceParts } from '../../../service/src/openapi/service-parts.ts';
import type { PetStore } from '../../src/operations/storage/store.ts';

type Calls = {
  receivePayment: {
    body: { test: number };
    rawBody: Uint8Array;
    header: { 'Webhook-Id': string; 'Webhook-Timestamp': number; 'Webhook-Signature': string };
    storage: { addEvent(id: string, event: object): Promise<void> };
    clock: Clock;
  };
};
type Call<Id extends keyof Calls> = Calls[Id];
type Results = { receivePayment: { status: 204 } | ApiError<'invalid_request'> };
type Result<Id extends keyof Calls> = Results[Id];

const secret = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64');

export async function receivePayment(call: Call<'receivePayment'>): Promise<Result<'receivePayment'>> {
  const { header, body, rawBody, storage, clock } = call;
  const { 'Webhook-Id': id, 'Webhook-Timestamp': sentAt, 'Webhook-Signature': signatures } = header;
  const hmac = createHmac('sha256', secret).update(`${id}.${sentAt}.`).update(rawBody);
  const expected = Buffer.from(`v1,${hmac.digest('base64')}`);
  const isSigned = signatures.split(' ').some((text) => {
    const sent = Buffer.from(text);
    return sent.length === expected.length && timingSafeEqual(sent, expected);
  });
  if (!isSigned) return new ApiError('invalid_request', 'The signature does not fit the body.');
  // Somebody who has recorded a request could send it again.
  if (Math.abs(clock() / 1_000 - sentAt) > 300) return new ApiError('invalid_request', 'The webhook is too old.');
  // The ID is the primary key, and `ON CONFLICT DO NOTHING` leaves out what has already arrived.
  await storage.addEvent(id, body);
  return { status: 204 };
}

type Middleware = NonNullable<ServiceParts<PetStore, typeof contract>['middleware']>;

export const adminRoute: Middleware = ({ storage, log }) => ({
  beforeKey: [
    Router().put('/internal/pets/:id/status', text(), async ({ params, body }, response) => {
      const pet = await storage.reader.findPet(Number(params.id));
      // The contract does not check your own routes, and with another media type, `body` is undefined.
      const status = enumerations.PetStatus.find((known) => known === body);
      if (pet === undefined || status === undefined) return void response.status(pet ? 400 : 404).end();
      await storage.transaction((writer) => writer.setPetStatus(pet.id, status));
      log.info({ pet: pet.id, from: pet.status, to: status }, 'an operator has set a status');
      response.status(204).end();
    }),
  ],
});

export const allowList: Middleware = () => {
  const offices = new BlockList();
  offices.addSubnet('10.1.0.0', 16);
  const isHidden = (path: string, ip = '') => path.startsWith('/internal/') && !offices.check(ip);
  return {
    beforeKey: [
      ({ path, ip }, _response, next) =>
        next(isHidden(path, ip) ? new ApiError('route_not_found', 'No operation has this path.') : undefined),
    ],
  };
};

export const serverTiming: Middleware = () => ({
  beforeKey: [
    (_request, response, next) => {
      const [startedAt, writeHead] = [performance.now(), response.writeHead];
      response.writeHead = (...parameters: unknown[]) => {
        response.setHeader('Server-Timing', `app;dur=${(performance.now() - startedAt).toFixed(1)}`);
        return Reflect.apply(writeHead, response, parameters);
      };
      next();
    },
  ],
});
