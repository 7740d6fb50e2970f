import { contractJson } from '@animal-store/contract/document';

type ContractPart = {
  components: { schemas: { NewPet: { required: string[]; properties: Record<string, unknown> } } };
};

/** The contract as JSON. The rules for animals are read from it, so that they are not repeated here. */
export const contract: ContractPart = JSON.parse(contractJson);

/** The schema of an animal to add. */
export const newPetSchema = contract.components.schemas.NewPet;
