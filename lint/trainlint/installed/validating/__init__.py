"""ValidatingAdmissionPolicies of the repository, evaluated for what arrives at the API server."""
