/** NestJS on its default adapter, Express, with its ValidationPipe (class-validator, class-transformer). */
import { Module, ValidationPipe } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { petsController } from './nest/pets-controller.ts';
import { RefusalFilter, validationRefused } from './nest/refusal-filter.ts';
import { admitting } from './shared/express.ts';
import { openPeer } from './shared/peer.ts';
import { announce, keepAliveTimeout, listenOptions } from './shared/serve.ts';

const peer = openPeer();

class PetsModule {}
Module({ controllers: [petsController(peer)] })(PetsModule);

const app = await NestFactory.create<NestExpressApplication>(PetsModule, { logger: false });
app.disable('x-powered-by');
app.disable('etag');
app.use(admitting(peer));
app.useGlobalFilters(new RefusalFilter());
app.useGlobalPipes(
  new ValidationPipe({
    transform: true,
    whitelist: true,
    forbidNonWhitelisted: true,
    exceptionFactory: validationRefused,
  }),
);
const server = app.getHttpServer();
server.keepAliveTimeout = keepAliveTimeout;
await app.listen(listenOptions.port, listenOptions.host);
announce(server, peer);
