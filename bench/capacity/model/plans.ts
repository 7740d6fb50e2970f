import { plans } from '@animal-store/contract';

/** The smallest plan of the contract whose quotas hold for a key that sends so many requests a second, all day. */
export function smallestPlan(perSecond: number): keyof typeof plans {
  if (fits(perSecond, plans.free)) return 'free';
  if (fits(perSecond, plans.pro)) return 'pro';
  return fits(perSecond, plans.business) ? 'business' : 'enterprise';
}

function fits(perSecond: number, { perMinute, perDay }: { perMinute: number; perDay: number }): boolean {
  return perSecond * 60 <= perMinute && perSecond * 86_400 <= perDay;
}
