import {
  type ArgumentsHost,
  BadRequestException,
  Catch,
  type ExceptionFilter,
  HttpException,
  NotFoundException,
  type ValidationError,
} from '@nestjs/common';
import type { Response } from 'express';
import { refuse } from '../shared/express.ts';
import { internalError, invalidJson, invalidRequest, type Refusal, routeNotFound } from '../shared/refusals.ts';
import { ListQuery, PetPath } from './inputs.ts';

/** A refusal on its way to the filter below. */
export class RefusalException extends HttpException {
  readonly refusal: Refusal;

  constructor(refusal: Refusal) {
    super(refusal.body, refusal.status);
    this.refusal = refusal;
  }
}

/** What class-validator found. */
export function validationRefused(errors: ValidationError[]): RefusalException {
  const details = errors.map(({ target, property, constraints = {} }) => ({
    where: `${placeOf(target)}/${property}`,
    what: Object.values(constraints)[0] ?? 'is invalid',
  }));
  return new RefusalException(invalidRequest(details));
}

/** The pipe does not say where it looked, but into what class it read. */
function placeOf(target: object | undefined): string {
  if (target instanceof PetPath) return 'path';
  return target instanceof ListQuery ? 'query' : 'body';
}

/** Writes every refusal in the shape of the contract. */
export class RefusalFilter implements ExceptionFilter {
  catch(exception: unknown, host: ArgumentsHost): void {
    refuse(host.switchToHttp().getResponse<Response>(), refusalOf(exception));
  }
}
Catch()(RefusalFilter);

function refusalOf(exception: unknown): Refusal {
  if (exception instanceof RefusalException) return exception.refusal;
  if (exception instanceof NotFoundException) return routeNotFound;
  if (exception instanceof BadRequestException) return invalidJson(exception.message);
  console.error(exception);
  return internalError();
}
