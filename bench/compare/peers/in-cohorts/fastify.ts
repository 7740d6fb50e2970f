/** As fastify.ts beside this folder, and in cohorts. */
import './in-cohorts.ts';
import '../fastify.ts';
