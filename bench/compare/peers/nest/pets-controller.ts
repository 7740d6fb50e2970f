import type { Pet } from '@animal-store/contract';
import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { Peer } from '../shared/peer.ts';
import { petNotFound, unknownCursor } from '../shared/refusals.ts';
import { decorateMethod } from './decorate.ts';
import { ListQuery, NewPetBody, PetPath } from './inputs.ts';
import { RefusalException } from './refusal-filter.ts';

/** The controller of the animals, over a peer that is given to it. */
export function petsController(peer: Peer) {
  class PetsController {
    list(query: ListQuery, request: Request, response: Response): Pet[] {
      const page = peer.list(query, request.headers);
      if (page === undefined) throw new RefusalException(unknownCursor);
      if (page.link !== undefined) response.set('Link', page.link);
      return page.pets;
    }

    get({ petId }: PetPath): Pet {
      const pet = peer.find(petId);
      if (pet === undefined) throw new RefusalException(petNotFound(petId));
      return pet;
    }

    add(pet: NewPetBody, request: Request, response: Response): Pet {
      const added = peer.add(pet);
      response.location(peer.locationOf(added, request.headers));
      return added;
    }
  }

  const both = [
    { type: Object, decorator: Req() },
    // Nest still writes the reply itself.
    { type: Object, decorator: Res({ passthrough: true }) },
  ];
  decorateMethod(PetsController, 'list', [Get()], [{ type: ListQuery, decorator: Query() }, ...both]);
  decorateMethod(PetsController, 'get', [Get(':petId')], [{ type: PetPath, decorator: Param() }]);
  decorateMethod(PetsController, 'add', [Post()], [{ type: NewPetBody, decorator: Body() }, ...both]);
  Controller('v1/pets')(PetsController);
  return PetsController;
}
