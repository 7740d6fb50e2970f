import type { PetStatus } from '@animal-store/client';

/** How a status is called on screen. A status that the contract adds does not compile until it has a name here. */
export const statusNames: Record<PetStatus, string> = { available: 'Available', pending: 'Pending', sold: 'Sold' };

export const statuses = Object.keys(statusNames).filter((name): name is PetStatus => name in statusNames);
