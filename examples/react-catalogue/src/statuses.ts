import type { PetStatus } from '@animal-store/client';

/** The name of each status on screen. If the contract adds a status, this does not compile until it has a name. */
export const statusNames: Record<PetStatus, string> = { available: 'Available', pending: 'Pending', sold: 'Sold' };

export const statuses = Object.keys(statusNames).filter((name): name is PetStatus => name in statusNames);
