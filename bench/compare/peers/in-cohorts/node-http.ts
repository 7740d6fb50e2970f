/** As node-http.ts beside this folder, and in cohorts. */
import './in-cohorts.ts';
import '../node-http.ts';
