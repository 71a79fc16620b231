export { ServiceError } from "../service/errors/errors.ts";
