import { contractJson } from '@animal-store/contract/document';

type ContractPart = {
  components: { schemas: { NewPet: { required: string[]; properties: Record<string, unknown> } } };
};

/** The contract as JSON: what an animal may be is read from it, so that it stands nowhere a second time. */
export const contract: ContractPart = JSON.parse(contractJson);

/** The schema of an animal to add. */
export const newPetSchema = contract.components.schemas.NewPet;
