import type { EdgeSource, FindingType } from "./catalogue.ts";

const onTierZero = (edge: string): EdgeSource => ({
  form: "relationship",
  edge,
  from: "not-tier-zero",
  to: "tier-zero",
});
const gone = (edge: string): string => `The next analysis shows no ${edge} edge between the two objects.`;

/** Finding types of Entra ID and Azure. */
export const AZURE_TYPES: readonly FindingType[] = [
  {
    name: "AzureT0Owns",
    title: "Ownership of Tier Zero Cloud Objects",
    description: "A principal outside Tier Zero owns a Tier Zero application, service principal or resource.",
    remediation: "Remove the owner.",
    steps: ["Open *Owners* of the object.", "Remove the principal.", "Look at credentials that were added lately."],
    check: gone("AZOwns"),
    source: onTierZero("AZOwns"),
  },
  {
    name: "AzureT0AddSecret",
    title: "Secrets Can Be Added to Tier Zero Applications",
    description: "A principal outside Tier Zero can add a secret to a Tier Zero application and act as it.",
    remediation: "Take the role away, or limit it to other applications.",
    steps: [
      "Find the role assignment that grants the right.",
      "Narrow its scope.",
      "List the secrets of the application.",
    ],
    check: gone("AZAddSecret"),
    source: onTierZero("AZAddSecret"),
  },
  {
    name: "AzureT0ResetPassword",
    title: "Password Reset on Tier Zero Cloud Users",
    description: "A principal outside Tier Zero can reset the password of a Tier Zero user.",
    remediation: "Put Tier Zero users into a role-assignable group.",
    steps: [
      "Find the role that grants the reset.",
      "Make the group of the user role-assignable.",
      "Take the role away.",
    ],
    check: gone("AZResetPassword"),
    source: onTierZero("AZResetPassword"),
  },
  {
    name: "AzureT0AddMembers",
    title: "Add Members to Tier Zero Cloud Groups",
    description: "A principal outside Tier Zero can add members to a Tier Zero group.",
    remediation: "Make the group role-assignable and remove its owners.",
    steps: ["List the owners of the group.", "Remove those outside Tier Zero."],
    check: gone("AZAddMembers"),
    source: onTierZero("AZAddMembers"),
  },
  {
    name: "AzureT0MGGrantAppRoles",
    title: "Service Principals That Can Grant App Roles",
    description: "A service principal outside Tier Zero may grant any app role, to itself too.",
    remediation: "Remove AppRoleAssignment.ReadWrite.All.",
    steps: [
      "Open the permissions of the service principal.",
      "Remove the app role.",
      "Ask the vendor for narrower ones.",
    ],
    check: gone("AZMGGrantAppRoles"),
    source: onTierZero("AZMGGrantAppRoles"),
  },
  {
    name: "AzureT0VMContributor",
    title: "Control of Machines With a Tier Zero Identity",
    description: "A principal outside Tier Zero can run commands on a machine whose managed identity is Tier Zero.",
    remediation: "Take the role away on the machine and its resource group.",
    steps: ["Find the role assignment.", "Remove it.", "Give the managed identity fewer roles."],
    check: gone("AZVMContributor"),
    source: onTierZero("AZVMContributor"),
  },
];
