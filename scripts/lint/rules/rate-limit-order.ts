import { dig, entriesOf, type Rule } from '../redocly.ts';

/** No quota per minute is larger than the one per day, and no first ban longer than the longest. */
export const rateLimitOrder: Rule = () => ({
  Root: {
    enter(root, { location, report }) {
      const limits = dig(root, 'x-rate-limits');
      const quotas = [
        ...entriesOf(dig(limits, 'plans')).map(([name, plan]) => ({ path: ['plans', name], quota: plan })),
        { path: ['anonymous'], quota: dig(limits, 'anonymous') },
      ];
      const pairs = [
        ...quotas.map(({ path, quota }) => ({ path, group: quota, small: 'perMinute', large: 'perDay' })),
        { path: ['ban'], group: dig(limits, 'ban'), small: 'firstSeconds', large: 'maximumSeconds' },
      ];
      for (const { path, group, small, large } of pairs) {
        const [less, more] = [dig(group, small), dig(group, large)];
        if (typeof less !== 'number' || typeof more !== 'number' || less <= more) continue;
        report({
          message: `${small} (${less}) is larger than ${large} (${more}). Lower the one or raise the other.`,
          location: location.child(['x-rate-limits', ...path, small]),
        });
      }
    },
  },
});
